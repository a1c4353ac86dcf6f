/**
 * The commands in this process, against an HTTP server that answers as a running host would. For what a whole host cannot
 * be brought to say at will: hostile records, every verdict.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { announceHost } from "../assembly/running-host.ts";
import { parseCommandLine } from "./parse-command-line.ts";
import { showFailure } from "./show-failure.ts";
import { createTerminal } from "./terminal.ts";

type Reply = readonly [status: number, body: object];

export interface Asked {
  /** As `GET /v1/approvals`. */
  readonly what: string;
  readonly body: any;
  readonly prefer: string | undefined;
}

export interface HostWire {
  readonly dir: string;
  readonly asked: Asked[];
  /** What the host says, by method and path without its query. */
  readonly says: Map<string, Reply | ((query: URLSearchParams) => Reply)>;
  /** `typed`: what a person types; absent: nobody sits there. */
  run(argv: readonly string[], typed?: string): Promise<{ code: number; out: string; err: string }>;
  close(): Promise<void>;
}

const UNKNOWN: Reply = [404, { error: "not_found", message: "No.", remedy: "Look." }];

export const openHostWire = async (): Promise<HostWire> => {
  const dir = mkdtempSync(join(tmpdir(), "bailiwick-wire-"));
  const asked: Asked[] = [];
  const says: HostWire["says"] = new Map([["GET /v1/health", [200, { status: "ok" }]]]);
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const body = await text(req);
    const what = `${req.method} ${req.url}`;
    const { prefer } = req.headers;
    if (!what.includes("/v1/health")) {
      const said = body === "" ? null : (JSON.parse(body) as unknown);
      asked.push({ what, body: said, prefer: prefer === undefined ? prefer : String(prefer) });
    }
    const [path = "", query] = what.split("?");
    const reply = says.get(path) ?? UNKNOWN;
    const [status, value] = typeof reply === "function" ? reply(new URLSearchParams(query)) : reply;
    res.writeHead(status, { "content-type": "application/json" });
    res.end(JSON.stringify(value));
  };
  const server = createServer((req, res) => void answer(req, res));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await announceHost(join(dir, "work"), { pid: process.pid, origin, noAuth: true, configFile: null });
  writeFileSync(join(dir, "bailiwick.json"), JSON.stringify({ workDir: "work", noDefaultBundles: true }));

  return {
    dir,
    asked,
    says,
    async run(argv, typed) {
      const written = { out: "", err: "" };
      const output = (to: "out" | "err") => ({ write: (piece: string) => (written[to] += piece) });
      const terminal = createTerminal({ stdout: output("out"), stderr: output("err"), env: {} });
      const stdin = Object.assign(new PassThrough(), { isTTY: typed !== undefined });
      stdin.end(typed ?? "");
      const run = async (): Promise<number> => {
        const meaning = parseCommandLine(argv);
        if (meaning.kind !== "run") throw new Error(`meant ${meaning.kind}`);
        const execute = await meaning.command.load();
        const json = meaning.input.flags["json"] === true;
        return execute({ ...meaning.input, terminal, env: {}, cwd: dir, home: dir, stdin, json, help: () => "" });
      };
      const failure = { terminal, debug: false, json: argv.includes("--json") };
      const code = await run().catch((error: unknown) => showFailure(error, failure));
      return { code, ...written };
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => {
          rmSync(dir, { recursive: true, force: true });
          resolve();
        });
      }),
  };
};
