/**
 * A whole host whose model is the stub, on either wire, with one bundle, `desk`, whose tools do what their arguments say
 * (test/fixtures/agent-server.mjs). It is spoken to over HTTP, as any client would.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished, vi } from "vitest";
import { startModelStub, type ModelStub } from "../agent/model/model-stub-for-tests.ts";
import type { StubRequest, StubScript } from "../agent/model/stub-turn-for-tests.ts";
import { readChat, type ChatReader, type ReadEvent } from "../transport/chat-reader-for-tests.ts";
import type { Event } from "./governed-host-for-tests.ts";
import { makePlace, type Place, type WholeHost } from "./whole-host-for-tests.ts";

const SERVER = fileURLToPath(new URL("../../test/fixtures/agent-server.mjs", import.meta.url));

export type Json = Record<string, any>;
export type Wire = "anthropic" | "openai";

/** For `describe.each`. */
export const WIRES: readonly Wire[] = ["anthropic", "openai"];

export const MODELS: Readonly<Record<Wire, string>> = {
  anthropic: "claude-sonnet-4-5-20250929",
  openai: "local:small",
};

export interface AgentPlaceOptions {
  /** Of the default model; both can be called. */
  readonly wire?: Wire;
  /** Of `desk`: names, or definitions as a server lists them. */
  readonly tools?: readonly (string | Json)[];
  /** Of the configuration. `bundles` stand behind `desk`. */
  readonly settings?: Json;
}

export interface AgentPlace extends Place {
  readonly stub: ModelStub;
  /** What the tools of `desk` ran, oldest first. */
  effects(): readonly string[];
  events(): readonly Event[];
  /** What `desk` lists from its next start on. */
  list(tools: readonly (string | Json)[]): void;
  /** Writes a flat skill file. */
  skill(name: string, front: string, body?: string): void;
  /** A path for the argument `hold`. */
  hold(name: string): { readonly path: string; letGo(): void };
  settle(settings: Json): void;
  /** Starts the host and waits for `desk`. */
  open(): Promise<AgentHost>;
}

interface Asked {
  readonly status: number;
  readonly json: Json;
}

export interface AgentHost extends WholeHost {
  /** `POST /v1/chat`. A script is the stub's from then on. */
  readonly ask: (order: string | Json, script?: StubScript) => Promise<Asked>;
  /** `POST /v1/chat/stream`, while it goes on. */
  readonly stream: (order: string | Json, script?: StubScript) => Promise<ChatReader>;
  /** The same, when it has ended. */
  readonly hear: (order: string | Json, script?: StubScript) => Promise<readonly ReadEvent[]>;
  /** `GET /v1/runs/:id/events`. */
  readonly listenTo: (runId: string, after?: number) => Promise<ChatReader>;
}

export const makeAgentPlace = async (options: AgentPlaceOptions = {}): Promise<AgentPlace> => {
  const { wire = "anthropic", tools = ["echo"], settings = {} } = options;
  const place = makePlace();
  const stub = await startModelStub();
  onTestFinished(() => stub.close());
  const at = (name: string): string => join(place.dir, name);
  const list: AgentPlace["list"] = (all) => writeFileSync(at("tools.json"), JSON.stringify(all.map(definition)));
  writeFileSync(at("effects"), "");
  mkdirSync(at("skills"));
  list(tools);
  const env = { AGENT_TOOLS: at("tools.json"), AGENT_EFFECTS: at("effects") };
  const mcp_config = { command: "node", args: [SERVER], env };
  const desk = place.bundle("desk", { server: { type: "node", entry_point: "server.mjs", mcp_config } });
  const settle = ({ bundles = [], ...more }: Json): void =>
    place.configure({
      bundles: [{ path: desk }, ...(bundles as Json[])],
      providers: {
        anthropic: { type: "anthropic", apiKey: "sk-ant-test", baseURL: stub.url },
        local: { type: "openai-compatible", baseURL: stub.url },
      },
      defaultModel: MODELS[wire],
      skillDirs: [at("skills")],
      approvals: { waitSeconds: 0 },
      ...more,
    });
  settle(settings);
  const own: AgentPlace = {
    ...place,
    stub,
    list,
    settle,
    effects: () => readFileSync(at("effects"), "utf8").split("\n").filter(Boolean),
    events: () => place.evidence() as readonly Event[],
    skill: (name, front, body = "Do it well.") =>
      writeFileSync(join(at("skills"), `${name}.md`), `---\nname: ${name}\n${front}\n---\n${body}\n`),
    hold: (name) => ({ path: at(`hold-${name}`), letGo: () => writeFileSync(at(`hold-${name}`), "") }),
    async open() {
      const host = await place.start();
      await host.until("desk", "running");
      return talkTo(host, stub);
    },
  };
  return own;
};

/** A place and its host, where nothing has to be done in between. */
export const startAgent = async (
  options: AgentPlaceOptions = {},
): Promise<AgentHost & { readonly place: AgentPlace }> => {
  const place = await makeAgentPlace(options);
  return { ...(await place.open()), place };
};

/** What the first event of this name says; `chat.start` knows the run and the conversation. */
export const firstOf = (events: readonly ReadEvent[], name = "chat.start"): Json => {
  const found = events.find(({ event }) => event === name);
  if (found === undefined) throw new Error(`no ${name} among ${events.map(({ event }) => event).join(", ")}`);
  return found.data as Json;
};

/** Whether a delegate asks: its prompt has no list of apps. */
export const isDelegate = ({ system }: StubRequest): boolean => !system.includes("Installed apps:");

const GRACE_MS = 60_000;

/** From now to the end of the test, the minute in which a run goes on unheard passes at once: for runs that are heard. */
export const passGrace = (): void => {
  const { setTimeout: real } = globalThis;
  const timer = vi
    .spyOn(globalThis, "setTimeout")
    // Arguments behind these two are handed on, whatever they are.
    .mockImplementation((act, ms, ...rest: []) => real(act, ms === GRACE_MS ? 30 : ms, ...rest));
  onTestFinished(() => timer.mockRestore());
};

const definition = (tool: string | Json): Json =>
  typeof tool === "string"
    ? { name: tool, description: `the tool ${tool}`, inputSchema: { type: "object" } }
    : { inputSchema: { type: "object" }, ...tool };

const orderOf = (order: string | Json): Json => (typeof order === "string" ? { message: order } : order);

const talkTo = (host: WholeHost, stub: ModelStub): AgentHost => {
  const headers = { authorization: `Bearer ${host.key}` };
  const script = (turns: StubScript | undefined): void => {
    if (turns !== undefined) stub.script(turns);
  };
  const stream: AgentHost["stream"] = (order, turns) => {
    script(turns);
    return readChat(host.origin, { path: "/v1/chat/stream", headers, body: orderOf(order) });
  };
  return {
    ...host,
    stream,
    ask(order, turns) {
      script(turns);
      return host.rest("POST", "/v1/chat", orderOf(order));
    },
    async hear(order, turns) {
      const { events, ended } = await stream(order, turns);
      await ended;
      return events;
    },
    listenTo: (runId, after = 0) =>
      readChat(host.origin, {
        method: "GET",
        path: `/v1/runs/${runId}/events`,
        headers: { ...headers, "last-event-id": String(after) },
      }),
  };
};
