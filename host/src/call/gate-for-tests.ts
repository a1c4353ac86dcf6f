/** For tests of what tools require of the host: the real call path, and providers with the tools that a test gives them. */
import type { Answer, RawCall } from "../kernel/call.ts";
import { definitionOf } from "../kernel/definition-of.ts";
import type { EvidenceDraft, EvidenceReceipt } from "../kernel/evidence.ts";
import type { Principal } from "../kernel/principal.ts";
import {
  EMPTY_CATALOGUE,
  type ListedTool,
  type Provider,
  type ProviderRequest,
  type ProviderState,
} from "../kernel/provider.ts";
import { rawJson } from "../kernel/raw-json.ts";
import type { Surface } from "../kernel/surface.ts";
import { UriOwners } from "../kernel/uri-owners.ts";
import { createCallPath, type CallPath } from "./create-call-path.ts";
import type { EnvironmentSettings } from "./environment/environment-book.ts";
import { ungoverned } from "./governance-for-tests.ts";
import { result, type Answering } from "./path-for-tests.ts";
import { keepTasks } from "./upstream/task-records-for-tests.ts";
import { RAW } from "./raw-call-for-tests.ts";

export const PERSON: Principal = {
  id: "person:ann",
  kind: "person",
  onBehalfOf: null,
  roles: [],
  permissions: ["*"],
  assurance: "credential",
  scopes: null,
  workspace: "ws_default",
  credentialId: "ann",
};

export const toolOf = (value: { readonly name: string; readonly [key: string]: unknown }, more = {}): ListedTool => ({
  name: value.name,
  definition: definitionOf(value),
  json: rawJson(JSON.stringify(value)),
  value,
  ...more,
});

export const needing = (name: string, ...required: readonly unknown[]): ListedTool =>
  toolOf({ name, _meta: { dcc: { required_capabilities: required } } });

export interface GateOptions {
  readonly tools: readonly ListedTool[];
  readonly capabilities?: Partial<EnvironmentSettings>;
  readonly policy?: Parameters<typeof ungoverned>[0];
  readonly answering?: Answering;
}

export interface Gate {
  readonly path: CallPath;
  readonly sent: ProviderRequest[];
  readonly events: EvidenceDraft[];
  /** Of every provider. */
  state: ProviderState;
  call(name: string, more?: Partial<RawCall>): Promise<Answer>;
  surface(provider?: string | null): Surface;
  listed(provider?: string | null): readonly { readonly name: string; readonly _meta?: Record<string, unknown> }[];
  /** Other settings are in force, and everybody is told. */
  replace(settings: Partial<EnvironmentSettings>): void;
  add(workspace: string, name: string): void;
}

const settingsOf = (settings: Partial<EnvironmentSettings> = {}): EnvironmentSettings => ({
  declared: [],
  require: {},
  providers: {},
  ...settings,
});

/** One provider, `maya`, is there. */
export const openGate = (options: GateOptions): Gate => {
  const events: EvidenceDraft[] = [];
  const sent: ProviderRequest[] = [];
  const add = (draft: EvidenceDraft): EvidenceReceipt => {
    events.push({ ...draft });
    return { eventId: `evt_${events.length}`, sequence: events.length };
  };
  const path = createCallPath({
    ...ungoverned(options.policy),
    capabilities: settingsOf(options.capabilities),
    log: {
      append: async (draft) => add(draft),
      appendAll: async (drafts) => drafts.map(add),
      writable: () => true,
      close: () => Promise.resolve(),
    },
    findKey: () => null,
    noAuth: () => true,
    maxNameLength: 64,
    isMember: () => true,
    ownersOf: () => new UriOwners(),
    taskStore: keepTasks(),
    isOpen: () => false,
    reportBug: (error) => {
      throw error;
    },
  });
  const catalogue = { ...EMPTY_CATALOGUE, tools: options.tools };
  const status = { reason: null, next: null, since: 0, retryAfterMs: null, version: "1.0.0", restartsInWindow: 0 };
  const providerOf = (name: string): Provider => ({
    name,
    status: () => ({ ...status, state: gate.state, lastError: null }),
    catalogue: () => catalogue,
    whenReady: () => Promise.resolve(gate.state === "running"),
    watch: () => false,
    send: async (request) => {
      sent.push(request);
      return (options.answering ?? (() => result('{"content":[]}')))(request, sent.length);
    },
  });
  const gate: Gate = {
    path,
    sent,
    events,
    state: "running",
    call: (name, more) => path.handleCall({ ...RAW, name, signal: new AbortController().signal, ...more }),
    surface: (provider = null) => path.surfaces.of(PERSON, provider) as Surface,
    listed: (provider) => JSON.parse(gate.surface(provider).tools()) as ReturnType<Gate["listed"]>,
    replace(settings) {
      path.environment.replace(settingsOf(settings));
      path.refresh();
    },
    add: (workspace, name) => path.providersOf(workspace).add(providerOf(name)),
  };
  gate.add("ws_default", "maya");
  return gate;
};
