import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { InstallProgress } from "../kernel/bundle-admin.ts";
import type { Reachable } from "./ask-host.ts";
import { attachHost } from "./attach-host.ts";
import type { BundleControl } from "./host.ts";

/** Whole hosts are met in the tests of the command line; here is a wire that misbehaves as they do not. */
let server: Server | null = null;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

const attach = async (listener: RequestListener, more: Partial<Reachable> = {}): Promise<BundleControl> => {
  const opened = createServer(listener);
  server = opened;
  await new Promise<void>((resolve) => {
    opened.listen(0, "127.0.0.1", resolve);
  });
  const origin = `http://127.0.0.1:${(opened.address() as AddressInfo).port}`;
  return attachHost({ origin, key: "bw_owner_x", ...more }).bundles;
};

const streaming =
  (...frames: readonly string[]): RequestListener =>
  (req, res) => {
    req.resume();
    res.writeHead(200, { "content-type": "text/event-stream" });
    for (const frame of frames) res.write(frame);
    res.end();
  };

const frame = (type: string, data: object): string => `event: ${type}\ndata: ${JSON.stringify(data)}\n\n`;
const APP = { name: "notes", status: "running" };

const install = async (bundles: BundleControl) => {
  const heard: InstallProgress[] = [];
  const answer = await bundles.install({ name: "x" }, (progress) => heard.push(progress)).catch((no: unknown) => no);
  return { heard, answer };
};

describe("an install at a host in another process", () => {
  it("hears its progress and ends with the bundle", async () => {
    const steps = [{ message: "Downloading", bytes: 1, total: 2 }, { message: "Starting" }];
    const frames = [": \n\n", frame("progress", steps[0]!), frame("progress", steps[1]!), frame("done", APP)];
    expect(await install(await attach(streaming(...frames)))).toEqual({ heard: steps, answer: APP });
  });

  it("ends with the refusal that the stream ends with, data included", async () => {
    const error = { error: "install_refused", message: "No.", remedy: "Do.", data: { details: { missing: ["x/y"] } } };
    const { answer } = await install(
      await attach(streaming(frame("progress", { message: "a" }), frame("error", error))),
    );
    expect(answer).toMatchObject({
      kind: "install_refused",
      message: "No.",
      next: "Do.",
      details: { missing: ["x/y"] },
    });
  });

  it("takes a plain answer for what it is", async () => {
    const error = { error: "already_installed", message: "It is there.", remedy: "Use it." };
    const refused = await attach((_, res) =>
      res.writeHead(409, { "content-type": "application/json" }).end(JSON.stringify(error)),
    );
    expect((await install(refused)).answer).toMatchObject({ kind: "already_installed" });
  });

  it.each([
    ["ends too early", [frame("progress", { message: "a" })]],
    ["says nothing", []],
  ])("is of unknown outcome when the stream %s", async (_, frames) => {
    expect((await install(await attach(streaming(...frames)))).answer).toMatchObject({ kind: "indeterminate" });
  });

  it.each([
    [
      "nonsense for progress",
      [frame("progress", { bytes: 1 }), "event: progress\ndata: {\n\n", frame("done", APP)],
      APP,
    ],
    ["two ends", [frame("done", APP), frame("error", {})], APP],
  ])("survives a stream with %s", async (_, frames, answer) => {
    expect(await install(await attach(streaming(...frames)))).toEqual({ heard: [], answer });
  });

  it("does not take something else for a bundle", async () => {
    const { answer } = await install(await attach(streaming(frame("done", { ok: true }))));
    expect(answer).toMatchObject({ kind: "upstream_failed" });
  });
});

describe("what is asked of bundles", () => {
  it("names them whatever they are called, in the workspace that is meant", async () => {
    const asked: string[] = [];
    const bundles = await attach(
      (req, res) => {
        asked.push(`${req.method} ${req.url} ${req.headers["x-workspace-id"]}`);
        res.end(
          JSON.stringify({ name: "a/b", status: "running", dataPath: "/d", accepted: [], stored: [], bundles: [] }),
        );
      },
      { workspace: "ws_team" },
    );
    await bundles.restart("a/b");
    await bundles.uninstall("../x");
    await bundles.accept("a", { tools: null, offered: [] });
    await bundles.configure("a", { k: 1 });
    await bundles.search("two words", 5);
    expect(asked).toEqual([
      "POST /v1/apps/a%2Fb/restart ws_team",
      "DELETE /v1/apps/..%2Fx ws_team",
      "POST /v1/apps/a/accept ws_team",
      "POST /v1/apps/a/configure ws_team",
      "GET /v1/bundles/search?q=two%20words&limit=5 ws_team",
    ]);
  });
});
