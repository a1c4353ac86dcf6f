/** Several principals of one host over the server that plays scripts, each with a client that speaks one request at a time. */
import { Agent, request } from "node:http";
import { serveScripts, type Script, type Upstream } from "./fidelity-cells-for-tests.ts";
import { openLegacyTalk, type Talk } from "./fidelity-cells-wire-for-tests.ts";
import type { Served } from "./serve-for-tests.ts";

const MODERN = "2026-07-28";

/** Whoever is asked for something is known by its number. */
export interface People {
  readonly host: Served;
  /** Of each, a client of the legacy era, which is asked while its call runs. */
  readonly talks: readonly Talk[];
  /** Rejects when the signal closes the connection. */
  ask(who: number, wish: Wish, signal?: AbortSignal): Promise<Said>;
  stop(): Promise<void>;
}

export interface Wish {
  readonly method: "tools/call" | "prompts/get";
  /** On the endpoint of this provider; null: on that of all. */
  readonly endpoint: Upstream | null;
  readonly params: { readonly name: string } & Readonly<Record<string, unknown>>;
}

export interface Said {
  readonly text: string;
  readonly result?: {
    readonly resultType: string;
    readonly requestState?: string;
    readonly inputRequests?: Readonly<Record<string, { readonly params: { readonly message: string } }>>;
    readonly lines?: readonly string[];
  };
  readonly error?: { readonly code: number; readonly data?: { readonly reason?: string } };
}

/** The owner and others, some of whom act for the owner and some for themselves. */
export const openPeople = async (count: number): Promise<People> => {
  const host = await serveScripts();
  const keys = [host.key];
  for (let nth = 1; nth < count; nth++) {
    const as = nth % 2 === 0 ? `person:p${nth}` : `agent:p${nth}`;
    const made = await host.run("key", "create", "--name", `p${nth}`, "--as", as);
    if (made.code !== 0) throw new Error(made.stderr);
    keys.push(made.stdout.trim());
  }
  const agent = new Agent({ keepAlive: true });
  const stop = async (): Promise<void> => {
    agent.destroy();
    await host.stop();
  };
  const ask = (who: number, wish: Wish, signal?: AbortSignal): Promise<Said> =>
    post(agent, host, { ...wish, key: keys[who] as string, signal });
  const talks = await Promise.all(keys.map((key) => openLegacyTalk(host.mcpUrl, key)));
  return { host, talks, ask, stop };
};

interface Order extends Wish {
  readonly key: string;
  readonly signal: AbortSignal | undefined;
}

const post = (agent: Agent, host: Served, order: Order): Promise<Said> => {
  const { method, endpoint, params, key, signal } = order;
  const url = endpoint === null ? host.mcpUrl : `${host.mcpUrl}/providers/${endpoint}`;
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": MODERN,
    "io.modelcontextprotocol/clientCapabilities": { elicitation: {} },
  };
  const headers = {
    Authorization: `Bearer ${key}`,
    "Content-Type": "application/json",
    Accept: "application/json",
    "MCP-Protocol-Version": MODERN,
    "Mcp-Method": method,
    "Mcp-Name": params.name,
  };
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method: "POST", agent, headers, ...(signal && { signal }) }, (response) => {
      let text = "";
      response.setEncoding("utf8").on("data", (chunk: string) => (text += chunk));
      response.on("error", reject).on("end", () => resolve({ ...(JSON.parse(text) as Omit<Said, "text">), text }));
    });
    outgoing.on("error", reject).end(JSON.stringify({ jsonrpc: "2.0", id: 1, method, params: { ...params, _meta } }));
  });
};

let calls = 0;

/** Names a call and who makes it; everything that belongs to the call bears it. */
export const newMark = (who: number): string => `<<${who}:${++calls}>>`;

export const marksIn = (text: string): string[] => [...new Set(text.match(/<<\d+:\d+>>/g))];

/** Asks `wide` questions at once, `rounds` times, and then says its mark. */
export const scriptFor = (mark: string, rounds: number, wide: number): Script => ({
  mark,
  rounds: Array.from({ length: rounds }, (_round, nth) => ({
    questions: Array.from({ length: wide }, (_question, at) => ({
      key: `"k${nth}.${at}"`,
      method: "elicitation/create",
      params: JSON.stringify({ message: mark, requestedSchema: { type: "object" } }),
    })),
    state: JSON.stringify(`state of ${mark}`),
    extra: '"x":1',
  })),
  end: `"result":${JSON.stringify({ content: [], mark })}`,
});

/** An answer to every question of a result, with the mark that the question bears. */
export const answersTo = ({ result }: Said): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(result?.inputRequests ?? {}).map(([key, { params }]) => [
      key,
      { action: "accept", content: { mark: marksIn(params.message)[0] } },
    ]),
  );

/** One request for a call. */
export interface Turn {
  readonly who: number;
  readonly upstream: Upstream;
  readonly script: Script;
  /** What the call was asked, to be answered; null: it begins. */
  readonly after: Said | null;
}

export const takeTurn = (
  people: People,
  { who, upstream, script, after }: Turn,
  signal?: AbortSignal,
): Promise<Said> => {
  const state = after === null ? {} : { inputResponses: answersTo(after), requestState: after.result?.requestState };
  const params = { name: `${upstream}__script`, arguments: script, ...state };
  return people.ask(who, { method: "tools/call", endpoint: null, params }, signal);
};

/** Goes on until the call has ended. */
export const takeAll = async (people: People, turn: Turn): Promise<Said> => {
  for (let { after } = turn; ;) {
    const said: Said = await takeTurn(people, { ...turn, after });
    if (said.result?.requestState === undefined) return said;
    after = said;
  }
};
