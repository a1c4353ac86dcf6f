/**
 * `bailiwick chat` as people and scripts start it, at a terminal of its own or with pipes, with a model that knows a few words
 * and a bundle, `asked`, whose calls need approval.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import {
  modelSettings,
  startObedientModel,
  type ModelStub,
  type StubTurn,
} from "../assembly/obedient-model-for-tests.ts";
import { createDrill, type Drill, type Served } from "./drill-for-tests.ts";

const COMMAND = fileURLToPath(new URL("../../bin/bailiwick", import.meta.url));
const TERMINAL = fileURLToPath(new URL("../../test/fixtures/pseudo-terminal.py", import.meta.url));

export interface Seat {
  /** All that was shown up to now, without colours. */
  screen(): string;
  /** Resolves when it is shown after what was waited for before. */
  shows(text: string): Promise<void>;
  type(text: string): void;
  /** As a window is closed. */
  close(): void;
  readonly exited: Promise<number | null>;
}

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface ChatDrill extends Pick<Drill, "until" | "leftovers"> {
  readonly model: ModelStub;
  /** Lets the second half of `slowly` come. */
  readonly release: () => void;
  /** Resolves when both bundles run. */
  serve(): Promise<Served>;
  /** The `n` of every call that a bundle got. */
  sentTo(provider: "drill" | "asked"): readonly string[];
  sitDown(args: readonly string[]): Seat;
  /** With pipes at both ends. */
  run(args: readonly string[], input?: string): Promise<Ran>;
  clean(): Promise<void>;
}

export const CTRL_C = "\u0003";
export const CTRL_D = "\u0004";

const commandOf = ({ dir, workDir }: Drill, args: readonly string[]): readonly string[] => [
  COMMAND,
  ...args,
  "--config",
  join(dir, "bailiwick.json"),
  "--workdir",
  workDir,
];

const envOf = ({ dir }: Drill): NodeJS.ProcessEnv => ({ PATH: process.env["PATH"], HOME: dir, TERM: "xterm" });

const collect = (stream: ChildProcess["stdout"]): (() => string) => {
  let text = "";
  stream?.setEncoding("utf8").on("data", (piece: string) => (text += piece));
  return () => text;
};

const codeOf = (child: ChildProcess): Promise<number | null> =>
  new Promise((resolve) => child.once("close", (code) => resolve(code)));

const sitDown = (drill: Drill, args: readonly string[]): Seat => {
  const command = ["sh", ...commandOf(drill, args)];
  const child = spawn("python3", [TERMINAL, ...command], { env: envOf(drill), stdio: ["pipe", "pipe", "inherit"] });
  const shown = collect(child.stdout);
  const screen = (): string => stripVTControlCharacters(shown());
  let from = 0;
  return {
    screen,
    async shows(text) {
      await drill
        .until(() => screen().includes(text, from))
        .catch((error: unknown) => {
          throw new Error(`${JSON.stringify(text)} is not in ${JSON.stringify(screen().slice(from))}`, {
            cause: error,
          });
        });
      from = screen().indexOf(text, from) + text.length;
    },
    type: (text) => void child.stdin.write(text),
    close: () => void child.kill("SIGKILL"),
    exited: codeOf(child),
  };
};

const runPiped = async (drill: Drill, args: readonly string[], input: string): Promise<Ran> => {
  const child = spawn("sh", commandOf(drill, args), { env: envOf(drill), stdio: ["pipe", "pipe", "pipe"] });
  const [out, err] = [collect(child.stdout), collect(child.stderr)];
  child.stdin.on("error", () => {}).end(input);
  return { code: await codeOf(child), out: out(), err: err() };
};

const call = (name: string, n: string) => ({ calls: [{ name, input: { n } }] });

const playOf = (message: string, gate: Promise<void>): readonly StubTurn[] => {
  const plays: Readonly<Record<string, readonly StubTurn[]>> = {
    hello: [{ text: "Good morning." }],
    slowly: [{ text: ["The first half", gate, " and the second."] }],
    count: [{ text: "I count.", ...call("drill__count", "7") }, { text: "It is seven." }],
    ask: [call("asked__count", "asked"), { text: "That was it." }],
    die: [call("drill__die", "dead"), { text: "I do not know." }],
    wait: [{ text: "I wait.", ...call("drill__wait", "open") }, { text: "It came." }],
    silent: [{ error: "hang" }],
    broken: [{ error: { status: 400, message: "The model is broken." } }],
  };
  return plays[message] ?? [{ text: `You said ${message}.` }];
};

const PROVIDERS = ["drill", "asked"];
const RULE = { id: "ask", match: { tools: ["asked__*"], principals: ["agent:*"] }, effect: "require_approval" };

/** `settings`: what is otherwise than usual. */
export const createChatDrill = async (settings: object = {}): Promise<ChatDrill> => {
  const gate = Promise.withResolvers<void>();
  const model = await startObedientModel((message) => playOf(message, gate.promise));
  const drill = await createDrill(PROVIDERS, { ...modelSettings(model), policy: { rules: [RULE] }, ...settings });
  return {
    until: (done) => drill.until(done),
    leftovers: (ms) => drill.leftovers(ms),
    model,
    release: () => gate.resolve(),
    async serve() {
      const host = await drill.serve();
      await Promise.all(PROVIDERS.map((name) => host.running(name)));
      return host;
    },
    sentTo: (provider) => readFileSync(drill.callsFile(provider), "utf8").trim().split("\n").filter(Boolean),
    sitDown: (args) => sitDown(drill, args),
    run: (args, input = "") => runPiped(drill, args, input),
    async clean() {
      await drill.clean();
      await model.close();
    },
  };
};
