/** For tests of the call path: the real stages, a log that is read back, and one provider that answers as it is told. */
import type { Approvals } from "../kernel/approvals.ts";
import type { Ask, AskAnswer, Asker } from "../kernel/ask.ts";
import type { Answer, RawCall } from "../kernel/call.ts";
import type { EvidenceDraft, EvidenceReceipt } from "../kernel/evidence.ts";
import type { Explanation } from "../kernel/explanation.ts";
import type { Identify, Principal } from "../kernel/principal.ts";
import {
  EMPTY_CATALOGUE,
  type ListedTool,
  type Provider,
  type ProviderAnswer,
  type ProviderRequest,
} from "../kernel/provider.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { RootsOf } from "../kernel/roots.ts";
import type { Surfaces } from "../kernel/surface.ts";
import type { Tasks, TaskStore } from "../kernel/tasks.ts";
import { UriOwners } from "../kernel/uri-owners.ts";
import type { IsMember } from "../kernel/workspace.ts";
import { createCallPath, type CallOptions } from "./create-call-path.ts";
import { ungoverned } from "./governance-for-tests.ts";
import { keepTasks } from "./upstream/task-records-for-tests.ts";
import { RAW } from "./raw-call-for-tests.ts";

export interface TestPath {
  readonly events: EvidenceDraft[];
  readonly sent: ProviderRequest[];
  /** May the key still call? */
  admitted: boolean;
  /** The log takes nothing more. */
  full: boolean;
  /** Is the server there? */
  running: boolean;
  /** Can evidence be written? */
  writable: boolean;
  call(call?: Partial<RawCall>): Promise<Answer>;
  readonly tasks: Tasks;
  readonly approvals: Approvals;
  readonly surfaces: Surfaces;
  readonly identify: Identify;
  explain(call: Partial<RawCall>, principal: Principal): Explanation;
  /** Another policy is in force from now on; nobody is told. */
  govern(policy: TestPathOptions["policy"]): void;
  /** One more provider of the same kind, in any workspace. */
  add(workspace: string, name: string): void;
  close(): void;
}

export type Answering = (request: ProviderRequest, nth: number) => ProviderAnswer | Promise<ProviderAnswer>;

const tool = (value: { readonly name: string; readonly execution?: object }): ListedTool => ({
  name: value.name,
  definition: "sha256:0",
  json: rawJson(JSON.stringify(value)),
  value,
});

const CATALOGUE = {
  ...EMPTY_CATALOGUE,
  tools: [tool({ name: "t" }), tool({ name: "only-task", execution: { taskSupport: "required" } })],
};

export const result = (json: string): ProviderAnswer => {
  const value = JSON.parse(json) as Record<string, unknown>;
  return { kind: "result", json: rawJson(json), value, isError: value["isError"] === true };
};

export const wants = (json: string): ProviderAnswer => ({
  kind: "partial",
  resultType: "input_required",
  json: rawJson(json),
  value: JSON.parse(json) as Record<string, unknown>,
});

export const failure = (code: number, data = "null"): ProviderAnswer => ({
  kind: "error",
  code,
  message: "no",
  json: rawJson(`{"code":${code},"message":"no","data":${data}}`),
});

export interface TestAsker extends Asker {
  readonly asked: Ask[];
}

/** A caller that declares this and answers so. */
export const caller = (
  declared: string,
  answer: (ask: Ask) => string = () => '{"action":"accept"}',
  returns = false,
): TestAsker => {
  const asked: Ask[] = [];
  return {
    asked,
    returns,
    declared: { json: rawJson(declared), value: JSON.parse(declared) as Record<string, unknown> },
    held: () => false,
    ask: (ask): Promise<AskAnswer> => {
      asked.push(ask);
      return Promise.resolve({ kind: "result", json: rawJson(answer(ask)) });
    },
  };
};

export interface TestPathOptions {
  readonly store?: TaskStore;
  /** The invocations of an earlier run that have no outcome yet. */
  readonly open?: ReadonlySet<string>;
  readonly reportBug?: (error: unknown) => void;
  /** Who may call once nobody is admitted without a key. */
  readonly findKey?: CallOptions["findKey"];
  readonly isMember?: IsMember;
  readonly policy?: Parameters<typeof ungoverned>[0];
  /** Beside those that there always are. */
  readonly tools?: readonly ListedTool[];
  /** Environment capabilities that the host declares. */
  readonly declared?: readonly string[];
  readonly roots?: RootsOf;
}

export const openPath = (answering: Answering, options: TestPathOptions = {}): TestPath => {
  const events: EvidenceDraft[] = [];
  const sent: ProviderRequest[] = [];
  const add = (draft: EvidenceDraft): EvidenceReceipt => {
    if (test.full) throw new Refusal("evidence_unavailable", { message: "full", next: "wait" });
    if (!test.writable) throw new Refusal("evidence_unavailable", { message: "Full.", next: "" });
    events.push({ ...draft, correlation: { ...draft.correlation } });
    return { eventId: `evt_${events.length}`, sequence: events.length };
  };
  const path = createCallPath({
    ...ungoverned(options.policy),
    capabilities: { declared: options.declared ?? [], require: {}, providers: {} },
    ...(options.roots && { roots: options.roots }),
    log: {
      append: async (draft) => add(draft),
      appendAll: async (drafts) => drafts.map(add),
      writable: () => test.writable,
      close: () => Promise.resolve(),
    },
    findKey: options.findKey ?? (() => null),
    noAuth: () => test.admitted,
    maxNameLength: 64,
    isMember: options.isMember ?? (() => false),
    ownersOf: () => new UriOwners(),
    taskStore: options.store ?? keepTasks(),
    isOpen: (id) => options.open?.has(id) ?? false,
    reportBug:
      options.reportBug ??
      ((error) => {
        throw error;
      }),
  });
  const catalogue = { ...CATALOGUE, tools: [...CATALOGUE.tools, ...(options.tools ?? [])] };
  const providerOf = (name: string): Provider => ({
    name,
    status: () => ({
      state: test.running ? "running" : "crashed",
      reason: null,
      next: null,
      since: 0,
      retryAfterMs: null,
      version: null,
      restartsInWindow: 0,
      lastError: null,
    }),
    catalogue: () => catalogue,
    whenReady: () => Promise.resolve(test.running),
    watch: () => false,
    send: async (request) => {
      sent.push(request);
      return answering(request, sent.length);
    },
  });
  path.providers.add(providerOf("p"));
  const test: TestPath = {
    events,
    sent,
    admitted: true,
    full: false,
    running: true,
    writable: true,
    tasks: path.tasks,
    approvals: path.approvals,
    surfaces: path.surfaces,
    identify: path.identify,
    explain: (call, principal) => path.explain({ ...RAW, signal: new AbortController().signal, ...call }, principal),
    govern: (policy) => void path.policies.replace(ungoverned(policy).policy.host),
    add: (workspace, name) => path.providersOf(workspace).add(providerOf(name)),
    close: () => path.close(),
    call: (call = {}) => path.handleCall({ ...RAW, signal: new AbortController().signal, ...call }),
  };
  return test;
};
