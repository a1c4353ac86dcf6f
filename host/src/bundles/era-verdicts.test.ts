/** What is remembered of a server's era, and what the server is asked then: real files, processes and HTTP. */
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { existsSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import {
  FIXTURES,
  fixtureManifest,
  makeBundle,
  makeWorkDir,
  readLines,
  runBundles,
  textOf,
  toolCall,
  until,
  untilRunning,
} from "./bundles-for-tests.ts";
import { EraVerdicts } from "./era-verdicts.ts";
import { startHttp } from "./legs/process-for-tests.ts";

const HOUR = 3_600_000;

const edit = (file: string, change: (verdict: Record<string, unknown>) => void): void => {
  const verdict = JSON.parse(readFileSync(file, "utf8")) as Record<string, unknown>;
  change(verdict);
  writeFileSync(file, JSON.stringify(verdict));
};
const age = (file: string, ms: number): void =>
  edit(file, (each) => (each["at"] = new Date(Date.now() - ms).toISOString()));

describe("a stored verdict", () => {
  const learn = async (era: "legacy" | "modern"): Promise<string> => {
    const file = join(makeWorkDir(), "eras", "a.json");
    const verdicts = new EraVerdicts(file);
    (await verdicts.recall("source")).learned(era);
    await verdicts.settled();
    return file;
  };
  const recall = async (file: string, source = "source"): Promise<string | null> =>
    (await new EraVerdicts(file).recall(source)).known;

  test("is read by the next host, and only by its owner", async () => {
    const file = await learn("modern");
    expect(await recall(file)).toBe("modern");
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("holds for that very package or URL", async () => {
    expect(await recall(await learn("legacy"), "another")).toBeNull();
  });

  test("that a server is legacy is believed for a day, that it is modern until it shows otherwise", async () => {
    const legacy = await learn("legacy");
    const modern = await learn("modern");
    for (const file of [legacy, modern]) age(file, 23 * HOUR);
    expect([await recall(legacy), await recall(modern)]).toEqual(["legacy", "modern"]);
    for (const file of [legacy, modern]) age(file, 25 * HOUR);
    expect([await recall(legacy), await recall(modern)]).toEqual([null, "modern"]);
    age(legacy, -HOUR);
    expect(await recall(legacy)).toBeNull();
  });

  test.each(["", "{", "[]", '{"format":1,"source":1,"era":"legacy","at":"x"}', "x".repeat(10_000)])(
    "that is damaged counts as none: %.20s",
    async (text) => {
      const file = await learn("modern");
      writeFileSync(file, text);
      expect(await recall(file)).toBeNull();
    },
  );

  test("does not hold the URL itself, which may have a secret in it", async () => {
    const file = join(makeWorkDir(), "a.json");
    const verdicts = new EraVerdicts(file);
    (await verdicts.recall("https://a.example/?token=hush")).learned("modern");
    await verdicts.settled();
    expect(readFileSync(file, "utf8")).not.toContain("hush");
  });
});

describe("a process", () => {
  const start = (dir: string) => runBundles(dir, { bundles: [{ path: "fixture" }] });
  const prepare = (): { dir: string; file: string; asked: () => string[] } => {
    const dir = makeWorkDir();
    const methods = join(dir, "methods");
    makeBundle(dir, "fixture", fixtureManifest("fixture", { FIXTURE_METHODS: methods }));
    const asked = (): string[] => {
      const lines = readLines(methods);
      rmSync(methods, { force: true });
      return lines.slice(0, 2);
    };
    return { dir, asked, file: join(dir, "workspaces/ws_default/eras/fixture.json") };
  };
  const runOnce = async (dir: string): Promise<void> => {
    const { provider, bundles } = await start(dir);
    await untilRunning(provider("fixture"));
    await bundles.stop();
  };

  test("found to be legacy is not asked again by the next host, but after a day or when it changed", async () => {
    const { dir, asked, file } = prepare();
    await runOnce(dir);
    expect(asked()).toEqual(["server/discover", "initialize"]);
    await runOnce(dir);
    expect(asked()).toEqual(["initialize", "tools/list"]);
    age(file, 25 * HOUR);
    await runOnce(dir);
    expect(asked()).toEqual(["server/discover", "initialize"]);
    const manifest = join(dir, "fixture", "manifest.json");
    writeFileSync(manifest, readFileSync(manifest, "utf8").replace("1.2.3", "1.2.4"));
    await runOnce(dir);
    expect(asked()).toEqual(["server/discover", "initialize"]);
  });

  test("that exits when it is asked is started again, and the next host does not ask", async () => {
    const dir = makeWorkDir();
    const pids = join(dir, "pids");
    makeBundle(dir, "fixture", fixtureManifest("fixture", { FIXTURE_EXIT_ON_UNKNOWN: "1", FIXTURE_PIDS: pids }));
    await runOnce(dir);
    expect(readLines(pids)).toHaveLength(2);
    await runOnce(dir);
    expect(readLines(pids)).toHaveLength(3);
  });

  test("that was modern and is not any more is found out at once", async () => {
    const { dir, file } = prepare();
    await runOnce(dir);
    edit(file, (verdict) => (verdict["era"] = "modern"));
    const { provider } = await start(dir);
    await untilRunning(provider("fixture"));
    expect(textOf(await provider("fixture").send(toolCall("echo")))).toBe('{"a":1}');
    await until(() => readFileSync(file, "utf8").includes("legacy"));
  });

  test("that was legacy and is modern only is found out at once", async () => {
    const dir = makeWorkDir();
    const manifest = fixtureManifest("fixture");
    const mcp_config = { command: "node", args: [join(FIXTURES, "raw-modern.mjs"), "stdio"] };
    makeBundle(dir, "fixture", { ...manifest, server: { ...(manifest["server"] as object), mcp_config } });
    await runOnce(dir);
    const file = join(dir, "workspaces/ws_default/eras/fixture.json");
    expect(readFileSync(file, "utf8")).toContain("modern");
    edit(file, (verdict) => (verdict["era"] = "legacy"));
    await runOnce(dir);
    expect(readFileSync(file, "utf8")).toContain("modern");
  });
});

describe("a server at a URL", () => {
  const serve = async (listener: RequestListener): Promise<string> => {
    const server = createServer(listener).listen(0, "127.0.0.1");
    await new Promise((resolve) => server.once("listening", resolve));
    onTestFinished(() => {
      server.closeAllConnections();
      server.close();
    });
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  };

  test.each([401, 403, 429, 500, 503])("that answers HTTP %i has said nothing of its era", async (status) => {
    const url = await serve((_request, response) => response.writeHead(status).end());
    const dir = makeWorkDir();
    const { provider } = await runBundles(dir, {
      bundles: [{ url, serverName: "remote" }],
      allowInsecureRemotes: true,
    });
    await until(() => ["crashed", "dead"].includes(provider("remote").status().state));
    expect(existsSync(join(dir, "workspaces/ws_default/eras/remote.json"))).toBe(false);
  });

  test("that was legacy and is modern only is found out at once", async () => {
    const { port, stop } = await startHttp([join(FIXTURES, "raw-modern.mjs"), "http"]);
    onTestFinished(stop);
    const url = `http://127.0.0.1:${port}/mcp`;
    const dir = makeWorkDir();
    const file = join(dir, "workspaces/ws_default/eras/remote.json");
    const verdicts = new EraVerdicts(file);
    (await verdicts.recall(url)).learned("legacy");
    await verdicts.settled();
    const { provider } = await runBundles(dir, {
      bundles: [{ url, serverName: "remote" }],
      allowInsecureRemotes: true,
    });
    await untilRunning(provider("remote"));
    await expect.poll(() => readFileSync(file, "utf8")).toContain("modern");
  });

  test("that does not answer in time has said nothing of its era, though it serves", { timeout: 15_000 }, async () => {
    const opened =
      '{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"slow","version":"1"}}';
    const answers: Readonly<Record<string, string>> = { initialize: opened, "tools/list": '{"tools":[]}' };
    const url = await serve((request, response) => {
      if (request.method !== "POST") return response.writeHead(405).end();
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      return request.on("end", () => {
        const { id, method } = JSON.parse(body) as { id?: number; method: string };
        if (id === undefined) return response.writeHead(202).end();
        if (answers[method] === undefined) return response;
        response.writeHead(200, { "content-type": "application/json" });
        return response.end(`{"jsonrpc":"2.0","id":${id},"result":${answers[method]}}`);
      });
    });
    const dir = makeWorkDir();
    const { provider } = await runBundles(dir, {
      bundles: [{ url, serverName: "remote" }],
      allowInsecureRemotes: true,
    });
    await untilRunning(provider("remote"));
    expect(existsSync(join(dir, "workspaces/ws_default/eras/remote.json"))).toBe(false);
  });
});
