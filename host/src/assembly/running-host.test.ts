import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { announceHost, findRunningHost, withdrawHost } from "./running-host.ts";

let workDir: string;
let server: Server;
let origin: string;
beforeEach(async () => {
  workDir = mkdtempSync(join(tmpdir(), "bailiwick-running-"));
  server = createServer((req, res) => res.writeHead(req.url === "/v1/health" ? 200 : 404).end('{"status":"ok"}'));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(() => {
  server.close();
  rmSync(workDir, { recursive: true, force: true });
});

const file = (): string => join(workDir, "run", "host.json");
const rewrite = (change: object): void => {
  const record = JSON.parse(readFileSync(file(), "utf8")) as object;
  writeFileSync(file(), JSON.stringify({ ...record, ...change }));
};

describe("the host of a work directory", () => {
  it("is found while it is announced and answers, and not after", async () => {
    expect(await findRunningHost(workDir)).toBeNull();
    await announceHost(workDir, { pid: process.pid, origin, noAuth: true, configFile: null });
    expect(await findRunningHost(workDir)).toMatchObject({ pid: process.pid, origin, noAuth: true, configFile: null });
    await withdrawHost(workDir);
    expect(await findRunningHost(workDir)).toBeNull();
  });

  it("is not found when its process is gone, or its number went to another", async () => {
    await announceHost(workDir, { pid: process.pid, origin, noAuth: false, configFile: null });
    rewrite({ processStart: "1" });
    expect(await findRunningHost(workDir)).toBeNull();
    rewrite({ pid: 2 ** 30, processStart: null });
    expect(await findRunningHost(workDir)).toBeNull();
  });

  it("is not found when nothing answers there", async () => {
    await announceHost(workDir, { pid: process.pid, origin: "http://127.0.0.1:1", noAuth: false, configFile: null });
    expect(await findRunningHost(workDir)).toBeNull();
  });

  it("is reached on loopback when it listens on every address", async () => {
    await announceHost(workDir, {
      pid: process.pid,
      origin: origin.replace("127.0.0.1", "0.0.0.0"),
      noAuth: false,
      configFile: null,
    });
    expect(await findRunningHost(workDir)).toMatchObject({ origin });
  });

  it("is not withdrawn by another process", async () => {
    await announceHost(workDir, { pid: process.pid, origin, noAuth: false, configFile: null });
    rewrite({ pid: process.ppid });
    await withdrawHost(workDir);
    expect(readFileSync(file(), "utf8")).toContain(String(process.ppid));
  });

  it.each(["", "null", "[]", "{", '{"pid":-1,"origin":"http://a"}', '{"pid":1,"origin":"http://a/b@c"}', '{"pid":1}'])(
    "is nobody when the file says %j",
    async (text) => {
      mkdirSync(join(workDir, "run"));
      writeFileSync(file(), text);
      expect(await findRunningHost(workDir)).toBeNull();
    },
  );
});
