/** A host over the server that plays scripts, in both eras and on both wires, and one client of it in one cell. */
import { join } from "node:path";
import {
  openLegacyTalk,
  openModernTalk,
  type AnswerNth,
  type Heard,
  type Talk,
  type WireRequest,
} from "./fidelity-cells-wire-for-tests.ts";
import { startServer } from "./real-parts-for-tests.ts";
import { FIXTURES, serve, type Served } from "./serve-for-tests.ts";

export const UPSTREAMS = ["legacy-stdio", "legacy-http", "modern-stdio", "modern-http"] as const;
export type Upstream = (typeof UPSTREAMS)[number];

const argsOf = (name: Upstream): string[] => {
  const [era = "", wire = ""] = name.split("-");
  return [join(FIXTURES, "fidelity-server.mjs"), wire, era];
};

export const serveScripts = async (): Promise<Served> => {
  const servers = await Promise.all((["legacy-http", "modern-http"] as const).map((name) => startServer(argsOf(name))));
  const clear = (): void => {
    for (const server of servers) server.process.kill("SIGKILL");
  };
  try {
    const served = await serve({
      bundles: { "legacy-stdio": { args: argsOf("legacy-stdio") }, "modern-stdio": { args: argsOf("modern-stdio") } },
      remotes: { "legacy-http": servers[0]?.url ?? "", "modern-http": servers[1]?.url ?? "" },
    });
    return { ...served, stop: () => served.stop().finally(clear) };
  } catch (error) {
    clear();
    throw error;
  }
};

export interface Question {
  /** With its quotes, as the server spells it. */
  readonly key: string;
  readonly method: string;
  /** As text. */
  readonly params: string;
}

export interface Script {
  readonly mark: string;
  readonly notices?: readonly string[];
  readonly rounds: readonly {
    readonly questions: readonly Question[];
    /** The server's own state as text, with its quotes. */
    readonly state: string | null;
    /** Members as text that a modern server adds to the result and to each question. */
    readonly extra: string;
  }[];
  /** What a legacy server asks besides, and whose answer it does not wait for. */
  readonly late?: { readonly afterMs: number; readonly question: Question };
  /** How long a legacy server is busy before it asks or ends. */
  readonly pauseMs?: number;
  /** `"result": …` or `"error": …`. */
  readonly end: string;
}

export interface CellName {
  readonly client: "legacy" | "modern";
  readonly upstream: Upstream;
  /** On `/mcp`, where all providers are; else on the endpoint of this one. */
  readonly joined: boolean;
}

export const CELLS: readonly CellName[] = (["legacy", "modern"] as const).flatMap((client) =>
  UPSTREAMS.flatMap((upstream) => [true, false].map((joined) => ({ client, upstream, joined }))),
);

export const asksLater = ({ upstream }: CellName): boolean => upstream.startsWith("modern");

export interface Cell {
  readonly talk: Talk;
  nameOf(own: string): string;
  newMark(): string;
  play(script: Script, answer: AnswerNth): Promise<Heard>;
  /** What the server was sent for this mark. */
  linesOf(mark: string): Promise<string[]>;
}

/** A script as arguments: with blanks that a new spelling would lose. */
export const argumentsOf = (script: Script): string => `{  ${JSON.stringify(script).slice(1)}`;

let marks = 0;

export const openCell = async ({ client, upstream, joined }: CellName, { mcpUrl, key }: Served): Promise<Cell> => {
  const open = client === "legacy" ? openLegacyTalk : openModernTalk;
  const talk = await open(joined ? mcpUrl : `${mcpUrl}/providers/${upstream}`, key);
  const nameOf = (own: string): string => (joined ? `${upstream}__${own}` : own);
  const callWith = (own: string, args: string): WireRequest => ({
    method: "tools/call",
    params: `"name":"${nameOf(own)}","arguments":${args}`,
    name: nameOf(own),
    meta: '"progressToken":"\\u0074"',
  });
  return {
    talk,
    nameOf,
    newMark: () => `mark ${++marks}`,
    play: (script, answer) => talk(callWith("script", argumentsOf(script)), answer),
    async linesOf(mark) {
      const { said } = await talk(callWith("heard", JSON.stringify({ mark })), String);
      return (JSON.parse(`{${said}}`) as { result: { lines: string[] } }).result.lines;
    },
  };
};
