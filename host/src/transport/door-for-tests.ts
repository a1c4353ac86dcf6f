/**
 * A listener on a free port for the tests of this room. The call path behind it is a stand-in, since that is another
 * room's: `echo` answers its arguments, `slow` waits for the test or its signal, `deaf` for the test alone, and so on. HTTP
 * is real.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { Answer, HandleCall, RawCall, ShapeAnswer } from "../kernel/call.ts";
import type { Presented, Principal } from "../kernel/principal.ts";
import type { ParamHeader } from "../kernel/param-headers.ts";
import { rawJson, rawMembers } from "../kernel/raw-json.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { Seals } from "../kernel/seal.ts";
import type { Surface, Surfaces } from "../kernel/surface.ts";
import { standInBundles, standInEvents, type StandInEvents } from "./bundles-for-tests.ts";
import { standInResult } from "./chp/result-for-tests.ts";
import { createListener, type Listener } from "./create-listener.ts";
import { standInGovernance, type StandInGovernance } from "./governance-for-tests.ts";
import type { DoorLimits, ListenerDeps } from "./listener-deps.ts";
import { standInOAuth } from "./oauth-for-tests.ts";
import { makeSeals } from "./seals-for-tests.ts";
import { standInTasks, type StandInTasks } from "./tasks-for-tests.ts";
import { standInWorkspaces, WORKSPACE, type StandInWorkspaces } from "./workspaces-for-tests.ts";

export const OWNER = "owner-key";
export const OTHER = "other-key";

const principal = (name: string, permissions: readonly string[]): Principal => ({
  id: `person:${name}`,
  kind: "person",
  onBehalfOf: null,
  roles: [],
  permissions,
  assurance: "credential",
  scopes: null,
  workspace: WORKSPACE,
  credentialId: name,
});

const LIMITS: DoorLimits = {
  maxRequestBytes: 4_194_304,
  maxFileSize: 1000,
  sessionIdleSeconds: 1800,
  holdSeconds: 600,
  approvalWaitSeconds: 50,
  runWaitSeconds: 300,
  allowedOrigins: ["https://app.example"],
  allowedHosts: ["gate.example", "ported.example:8443"],
  publicOrigin: "https://public.example",
};

export interface TestDoor {
  readonly listener: Listener;
  readonly origin: string;
  readonly calls: RawCall[];
  readonly rejected: string[];
  /** As `person:owner seal`. */
  readonly statesRejected: string[];
  /** What was asked of bundles, keys and logins, as `start p by person:owner`. */
  readonly asked: string[];
  readonly bugs: unknown[];
  /** Keys that are valid; delete one to revoke it. */
  readonly principals: Map<string, Principal>;
  readonly shown: { tools: string; settled: boolean; token: string };
  /** Default: of the workspace that all keys are of. */
  announceChange(workspace?: string): void;
  readonly workspaces: StandInWorkspaces;
  readonly events: StandInEvents;
  readonly tasks: StandInTasks;
  readonly governance: StandInGovernance;
  /** Headers that calls of a tool need. */
  readonly paramHeaders: Map<string, readonly ParamHeader[]>;
  /** Resources that somebody can tell about, how many are watched, and the word that one changed. */
  readonly watchable: Set<string>;
  watching(): number;
  update(uri: string): void;
  /** Lets every waiting `slow` call end. */
  release(): void;
}

export interface TestDoorOptions {
  readonly limits?: Partial<DoorLimits>;
  readonly timings?: ListenerDeps["timings"];
  readonly noAuth?: boolean;
  readonly tokens?: ListenerDeps["tokens"];
  readonly handleCall?: HandleCall;
  readonly seals?: Seals;
  /** Null: it speaks on pipes alone. */
  readonly port?: number | null;
  /** What is handed to the doors in place of a stand-in. */
  readonly deps?: Partial<ListenerDeps>;
}

const answered = (raw: RawCall, json: string): Answer => ({
  ending: { kind: "result", json: rawJson(json), isError: false },
  outcome: "success",
  principal: null,
  evidenceId: "evt_1",
  tool: raw.name,
});

const failed = (code: number, json: string): Answer => ({
  ending: { kind: "error", json: rawJson(json), code },
  outcome: "failure",
  principal: null,
  evidenceId: "evt_1",
  tool: null,
});

/** What the stand-in for the call path does, by name. */
const behave =
  (waiting: Set<() => void>): HandleCall =>
  async (raw) => {
    if (raw.name === "bug") throw new Error("secret inside");
    if (raw.name === "odd") return answered(raw, '{ "content" : [],\n"n":1.0,"big":12345678901234567890 }');
    if (raw.name === "typed")
      return answered(raw, '{"resultType":"complete","content":[],"structuredContent":[1,2.0]}');
    if (raw.name === "missing:x") return failed(-32002, '{"code":-32002,"message":"no","data":{"uri":"missing:x"}}');
    if (raw.name === "lacking:x") return failed(-32602, '{"code":-32602,"message":"no","data":{"uri":"lacking:x"}}');
    if (raw.operation === "read") return answered(raw, '{"contents":[{"uri":"a:b","text":"t"}],"ttlMs":99999999}');
    if (raw.operation === "prompt") return answered(raw, '{"messages":[]}');
    if (raw.operation === "complete") return answered(raw, '{"completion":{"values":[]}}');
    if (raw.name === "chatty") {
      for (let i = 1; i <= 3; i++) raw.listener.progress(rawMembers(`"progress":${i},"total":3`));
      raw.listener.log(rawMembers('"level":"debug","data":"low"'));
      raw.listener.log(rawMembers('"level":"warning","data":"high"'));
      await sleep(5);
    }
    if (raw.name === "slow" || raw.name === "deaf") {
      await new Promise<void>((resolve) => {
        waiting.add(resolve);
        if (raw.name === "slow") raw.signal.addEventListener("abort", () => resolve(), { once: true });
      });
    }
    const text = JSON.stringify(raw.argsJson ?? "");
    return answered(raw, `{"content":[{"type":"text","text":${text}}]}`);
  };

const shape: ShapeAnswer = {
  mcp: ({ ending }) => {
    if (ending.kind === "result" || ending.kind === "error") return { member: ending.kind, json: ending.json };
    if (ending.kind === "input") throw new Error("a question has no form here");
    const { kind, message } = ending.refusal;
    const meta = { "dev.bailiwick/refusal": { kind, message } };
    return { member: "result", json: rawJson(JSON.stringify({ isError: true, content: [], _meta: meta })) };
  },
  rest: ({ ending }) => {
    if (ending.kind === "result") return { status: 200, headers: {}, json: ending.json };
    if (ending.kind === "error") return { status: 502, headers: {}, json: ending.json };
    if (ending.kind === "input") throw new Error("a question has no form here");
    const { kind, message, next, row } = ending.refusal;
    const json = rawJson(JSON.stringify({ error: kind, message, remedy: next, data: { kind } }));
    return { status: row.rest, headers: {}, json };
  },
  chp: standInResult,
};

type Shown = Pick<TestDoor, "shown" | "paramHeaders">;

const surfaceOf = ({ shown, paramHeaders }: Shown, provider: string | null): Surface => ({
  token: shown.token,
  settled: shown.settled,
  tools: () => rawJson(shown.tools),
  prompts: () => rawJson("[]"),
  resources: () => rawJson("[]"),
  templates: () => rawJson("[]"),
  skills: () => rawJson("[]"),
  instructions: () => "Read this first.",
  has: () => ({
    tools: true,
    prompts: provider === null,
    resources: true,
    completions: false,
    skills: false,
    directories: false,
  }),
  rows: () => [],
  tool: () => null,
  paramHeaders: (tool) => paramHeaders.get(tool) ?? [],
});

const PROVIDERS: ReturnType<Surfaces["providers"]> = ["p", "q"].map((name) => ({
  name,
  status: {
    state: "running",
    reason: `secret of ${name}`,
    next: null,
    since: 0,
    retryAfterMs: null,
    version: null,
    restartsInWindow: 0,
    lastError: `secret of ${name}`,
  },
  tools: 1,
}));

export const openTestDoor = async (options: TestDoorOptions = {}): Promise<TestDoor> => {
  const principals = new Map([
    [OWNER, principal("owner", ["*"])],
    [OTHER, principal("other", [])],
  ]);
  const [calls, bugs]: [RawCall[], unknown[]] = [[], []];
  const [rejected, statesRejected, asked]: [string[], string[], string[]] = [[], [], []];
  const paramHeaders: TestDoor["paramHeaders"] = new Map();
  const watchable = new Set<string>();
  const watches = new Set<{ readonly uri: string; readonly updated: () => void }>();
  const waiting = new Set<() => void>();
  const listeners = new Set<(workspace: string) => void>();
  const [workspaces, events] = [standInWorkspaces(), standInEvents()];
  const shown = { tools: '[{"name":"p__echo","inputSchema":{"type":"object"}}]', settled: true, token: "s1" };
  const surfaces: Surfaces = {
    of: (_, provider) => (provider === null || provider === "p" ? surfaceOf({ shown, paramHeaders }, provider) : null),
    providers: (who) => PROVIDERS.filter(({ name }) => !who?.scopes || who.scopes.includes(`${name}__*`)),
    watch: ({ uri }, updated) => {
      if (!watchable.has(uri)) return null;
      const watch = { uri, updated };
      watches.add(watch);
      return () => watches.delete(watch);
    },
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const findPrincipal = (presented: Presented): Principal | null => {
    if (presented.kind === "local") return principals.get(OWNER) ?? null;
    if (presented.kind === "bearer" || presented.kind === "chp-token") return principals.get(presented.token) ?? null;
    if (presented.kind === "chp-key") return principals.get(presented.text) ?? null;
    return options.noAuth ? principal("local", ["*"]) : null;
  };
  const identify = (presented: Presented): Principal | null => {
    const found = findPrincipal(presented);
    return found && workspaces.enter(found, presented.workspace ?? found.workspace);
  };
  const [tasks, governance] = [standInTasks(), standInGovernance()];
  const listener = createListener({
    identify: Object.assign(identify, { knows: (presented: Presented) => findPrincipal(presented) !== null }),
    workspaces,
    handleCall: (raw) => {
      calls.push(raw);
      return (options.handleCall ?? behave(waiting))(raw);
    },
    shape,
    surfaces,
    tasks,
    ...governance,
    keys: {
      create: async (key, giver) => {
        asked.push(`create ${key.name} by ${giver.id}`);
        return { secret: "s", row: key };
      },
      list: async () => [],
      revoke: async (name, by) => {
        asked.push(`revoke ${name} by ${by}`);
        if (name === "laptop") return { name };
        throw new Refusal("not_found", { message: "No such key.", next: "List them." });
      },
    },
    bundles: standInBundles(asked),
    events,
    extensions: { find: () => null },
    oauth: standInOAuth(asked, options.limits?.publicOrigin ?? "http://127.0.0.1:7420"),
    limits: { ...LIMITS, ...options.limits },
    tokens: options.tokens ?? null,
    noAuth: options.noAuth ?? false,
    health: () => ({ status: "ok", version: "1.2.3" }),
    configSchema: () => ({ type: "object" }),
    seals: options.seals ?? makeSeals(),
    rejected: (source) => rejected.push(source),
    recordLogin: async (type, { id }) => void asked.push(`${type} by ${id}`),
    stateRejected: (who, check) => statesRejected.push(`${who} ${check}`),
    report: (error) => bugs.push(error),
    timings: options.timings ?? {},
    ...options.deps,
  });
  const { origin } = options.port === null ? { origin: "" } : await listener.listen("127.0.0.1", options.port ?? 0);
  return {
    listener,
    origin,
    calls,
    rejected,
    statesRejected,
    asked,
    bugs,
    principals,
    shown,
    tasks,
    governance,
    paramHeaders,
    watchable,
    watching: () => watches.size,
    update: (uri) => watches.forEach((watch) => watch.uri === uri && watch.updated()),
    workspaces,
    events,
    announceChange: (workspace = WORKSPACE) => listeners.forEach((tell) => tell(workspace)),
    release: () => {
      for (const resolve of waiting) resolve();
      waiting.clear();
    },
  };
};
