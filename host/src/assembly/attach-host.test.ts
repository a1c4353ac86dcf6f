import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import type { Refusal } from "../kernel/refusal.ts";
import { attachHost } from "./attach-host.ts";
import type { ReachedHost } from "./reached-host.ts";

/** Whole hosts are met in the tests of the command line; here is a wire that misbehaves as they do not. */
let server: Server | null = null;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

const attach = async (listener: RequestListener): Promise<ReachedHost> => {
  const opened = createServer(listener);
  server = opened;
  await new Promise<void>((resolve) => {
    opened.listen(0, "127.0.0.1", resolve);
  });
  return attachHost({ origin: `http://127.0.0.1:${(opened.address() as AddressInfo).port}`, key: "bw_owner_x" });
};

const refusalOf = async (host: ReachedHost): Promise<Refusal> => {
  const { answer } = await host.call("a__b", {});
  if (answer.ending.kind !== "refusal") throw new Error(`ended as ${answer.ending.kind}`);
  return answer.ending.refusal;
};

describe("a call to a host in another process", () => {
  it("carries the key and the arguments", async () => {
    let seen = "";
    const host = await attach((req, res) => {
      req
        .setEncoding("utf8")
        .on("data", (text: string) => (seen += `${req.headers.authorization} ${req.method} ${req.url} ${text}`));
      req.on("end", () => res.end('{"content":[],"_meta":{"dev.bailiwick/evidence":"evt_1"}}'));
    });
    const { answer, json } = await host.call("a__b", { x: 1 });
    expect(seen).toBe('Bearer bw_owner_x POST /v1/tools/call {"name":"a__b","arguments":{"x":1}}');
    expect(answer).toMatchObject({ outcome: "success", evidenceId: "evt_1" });
    expect(json).toBe('{"content":[],"_meta":{"dev.bailiwick/evidence":"evt_1"}}');
  });

  it("is of unknown outcome when the connection breaks after it was sent", async () => {
    const host = await attach((req) => req.socket.destroy());
    const refusal = await refusalOf(host);
    expect(refusal.kind).toBe("indeterminate");
    expect(refusal.next).toContain("bailiwick evidence tail");
  });

  it("is of unknown outcome when the answer ends half-way", async () => {
    const host = await attach((_req, res) => {
      res.writeHead(200, { "content-length": "100" });
      res.write('{"content":', () => res.destroy());
    });
    expect((await refusalOf(host)).kind).toBe("indeterminate");
  });

  it("did nothing when nobody listens", async () => {
    const host = attachHost({ origin: "http://127.0.0.1:1", key: null });
    expect((await refusalOf(host)).kind).toBe("not_ready");
  });

  it("is of unknown outcome when the caller stops waiting", async () => {
    const stop = new AbortController();
    const host = await attach(() => stop.abort());
    const { answer } = await host.call("a__b", {}, { signal: stop.signal });
    expect(answer.outcome).toBe("indeterminate");
  });

  it("hands on a refusal as the host made it", async () => {
    const data = {
      kind: "rate_limited",
      stage: 6,
      retryable: true,
      retry_after_ms: 50,
      details: { limit: 3 },
      evidence_id: "evt_2",
    };
    const body = { error: "rate_limited", message: "Too many.", remedy: "Wait.", data };
    const host = await attach((_req, res) => res.writeHead(429).end(JSON.stringify(body)));
    const { answer, json } = await host.call("a__b", {});
    expect(answer).toMatchObject({
      ending: { stage: 6, refusal: { kind: "rate_limited", retryAfterMs: 50 } },
      evidenceId: "evt_2",
    });
    expect(JSON.parse(json)).toMatchObject({
      isError: true,
      _meta: { "dev.bailiwick/refusal": { kind: "rate_limited", details: { limit: 3 } } },
    });
  });

  it.each([
    [500, "<html>"],
    [200, "[]"],
    [404, '{"error":"__proto__","message":7}'],
  ])("survives an answer that no host of ours gives: %d %s", async (status, text) => {
    const host = await attach((_req, res) => res.writeHead(status).end(text));
    const refusal = await refusalOf(host);
    expect(refusal.kind).toBe("upstream_failed");
    expect(refusal.message).toContain(String(status));
    await expect(host.tools()).rejects.toMatchObject({ name: "Refusal" });
  });
});
