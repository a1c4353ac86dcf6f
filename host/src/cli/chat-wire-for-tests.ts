/** A chat in this process against an HTTP server that runs as a host would, with a person who types when asked. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { text } from "node:stream/consumers";
import { announceHost } from "../assembly/running-host.ts";
import type { ChatResult, RunEvent } from "../kernel/agent.ts";
import { helpText } from "./help-text.ts";
import { parseCommandLine } from "./parse-command-line.ts";
import { showFailure } from "./show-failure.ts";
import { createTerminal } from "./terminal.ts";

/** An event, or what to wait for before the next. */
export type Step = RunEvent | Promise<unknown>;
type Reply = readonly [status: number, body: object | readonly Step[]];

export interface ChatWire {
  readonly asked: { readonly what: string; readonly body: unknown }[];
  /** What the host says, by method and path; steps make a stream. Called anew each time. */
  readonly says: Map<string, (body: any) => Reply>;
  run(argv: readonly string[], person?: Person): Promise<{ code: number; out: string; err: string }>;
  close(): Promise<void>;
}

export interface Person {
  /** Comes through a pipe, at once. */
  readonly piped?: string;
  /** At the terminal: waits for the text on stderr, then types the line; null ends the input. */
  readonly types?: readonly (readonly [waitFor: string, line: string | null])[];
  /** The result goes to a screen. */
  readonly isScreen?: boolean;
}

export const CONV = "conv_0123456789abcdef";
export const RUN = "run_1";

export const resultOf = (over: Partial<ChatResult> = {}): ChatResult => ({
  response: "Hello",
  conversationId: CONV,
  runId: RUN,
  skillName: null,
  toolCalls: [],
  stopReason: "complete",
  finishReason: "stop",
  inputTokens: 1250,
  outputTokens: 45,
  usage: {
    inputTokens: 1250,
    outputTokens: 45,
    cacheCreationTokens: 0,
    cacheReadTokens: 0,
    costUsd: null,
    model: "stub:model",
    llmMs: 5,
    iterations: 2,
    estimated: false,
  },
  ...over,
});

export const START: RunEvent = {
  runId: RUN,
  type: "chat.start",
  conversationId: CONV,
  model: "stub:model",
  skill: null,
  directTools: 1,
};

const sendSteps = async (res: ServerResponse, steps: readonly Step[]): Promise<void> => {
  res.writeHead(200, { "content-type": "text/event-stream" });
  let id = 0;
  for (const step of steps) {
    if (step instanceof Promise) await step;
    else {
      const { type, ...data } = step;
      res.write(`event: ${type}\nid: ${++id}\ndata: ${JSON.stringify(data)}\n\n`);
    }
  }
  res.end();
};

const openServer = async (wire: Pick<ChatWire, "asked" | "says">) => {
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const said = await text(req);
    const what = `${req.method} ${req.url}`;
    const body: unknown = said === "" ? null : JSON.parse(said);
    if (req.url === "/v1/health") return void res.end('{"status":"ok"}');
    wire.asked.push({ what, body });
    const reply = wire.says.get(what.split("?", 1)[0] ?? what)?.(body);
    const [status, value] = reply ?? [404, { error: "not_found", message: "No.", remedy: "Look." }];
    if (Array.isArray(value)) await sendSteps(res, value as readonly Step[]);
    else res.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(value));
  };
  const server = createServer((req, res) => void answer(req, res));
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return server;
};

/** Types each line when what it waits for has been written after the one before. */
const seatPerson = (stdin: PassThrough, types: NonNullable<Person["types"]>): ((err: string) => void) => {
  const left = [...types];
  let from = 0;
  return (err) => {
    const [waitFor, line] = left[0] ?? ["", ""];
    const at = left.length === 0 ? -1 : err.indexOf(waitFor, from);
    if (at < 0) return;
    from = at + waitFor.length;
    left.shift();
    setImmediate(() => (line === null ? stdin.end() : stdin.write(`${line}\n`)));
  };
};

export const openChatWire = async (): Promise<ChatWire> => {
  const dir = mkdtempSync(join(tmpdir(), "bailiwick-chat-"));
  const wire: Pick<ChatWire, "asked" | "says"> = { asked: [], says: new Map() };
  const server = await openServer(wire);
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  await announceHost(join(dir, "work"), { pid: process.pid, origin, noAuth: true, configFile: null });
  writeFileSync(join(dir, "bailiwick.json"), JSON.stringify({ workDir: "work", noDefaultBundles: true }));
  return {
    ...wire,
    async run(argv, { piped = "", types, isScreen = false } = {}) {
      const written = { out: "", err: "" };
      const stdin = Object.assign(new PassThrough(), { isTTY: types !== undefined });
      const hear = seatPerson(stdin, types ?? []);
      const stdout = { isTTY: isScreen, write: (piece: string) => (written.out += piece) };
      const stderr = { write: (piece: string) => hear((written.err += piece)) };
      const terminal = createTerminal({ stdout, stderr, env: { NO_COLOR: "1" } });
      if (types === undefined) stdin.end(piped);
      const execute = async (): Promise<number> => {
        const meaning = parseCommandLine(argv);
        if (meaning.kind !== "run") throw new Error(`meant ${meaning.kind}`);
        const run = await meaning.command.load();
        const json = meaning.input.flags["json"] === true;
        return run({
          ...meaning.input,
          terminal,
          env: {},
          cwd: dir,
          home: dir,
          stdin,
          json,
          help: () => helpText(null),
        });
      };
      const failure = { terminal, debug: false, json: argv.includes("--json") };
      const code = await execute().catch((error: unknown) => showFailure(error, failure));
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
