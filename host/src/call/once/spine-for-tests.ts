/** For tests: a spine of one step that records as the real one does, and a host around it that can be started anew. */
import type { Answer, Ending, HandleCall, RawCall } from "../../kernel/call.ts";
import { idsOf } from "../../kernel/call-ids.ts";
import { NO_ENVELOPE, type Envelope } from "../../kernel/envelope.ts";
import type { KeptReply, LoggedCall, Outcome, Reply } from "../../kernel/evidence.ts";
import { readOnce, unknownReply, type OnceText } from "../../kernel/once-text.ts";
import type { Identify, Presented, Principal } from "../../kernel/principal.ts";
import { NO_MEMBERS, rawJson } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { RefusalKind } from "../../kernel/refusals.ts";
import { advance, type Approved, type Stopped } from "../../kernel/stages.ts";
import { createOnce } from "./once.ts";
import { createReplies } from "./replies.ts";

export const SEALS = {
  seal: (purpose: string, plain: string) => `bw1.${Buffer.from(`${purpose} ${plain}`).toString("base64")}`,
  unseal: (purpose: string, sealed: string) => {
    const plain = Buffer.from(sealed.slice(4), "base64").toString();
    return plain.startsWith(`${purpose} `) ? plain.slice(purpose.length + 1) : null;
  },
  secret: (purpose: string) => `the secret for ${purpose}`,
};

export const ok = (json: string): Ending => ({ kind: "result", json: rawJson(json), isError: false });
export const no = (kind: RefusalKind, stage = 6): Ending => ({
  kind: "refusal",
  refusal: new Refusal(kind, { message: "No.", next: "Do this.", details: { why: "because" } }),
  stage,
});

/** What the spine does with a call. From stage 9 on it began. */
export type Behaviour = (call: RawCall, nth: number) => Ending | Promise<Ending>;

export interface OnceHost {
  readonly handle: HandleCall;
  readonly events: string[];
  readonly kept: Map<string, KeptReply>;
  /** What is kept when the host has died and its log has ended what was open. */
  readonly afterCrash: () => Map<string, KeptReply>;
  readonly begun: () => number;
  readonly asked: () => number;
}

const TARGET = { flatName: "p__t", capability: { id: "t.alias", version: "1.0.0" } };

const principal = (more: Partial<Principal> = {}): Principal => ({
  id: "service:runner",
  kind: "service",
  onBehalfOf: null,
  roles: [],
  permissions: [],
  assurance: "credential",
  scopes: null,
  workspace: "ws_default",
  credentialId: "chp:runner",
  ...more,
});

/** `last`: what is done with an answer to a call that began. */
export const openOnce = (
  behave: Behaviour,
  kept: Map<string, KeptReply> = new Map(),
  last: (answer: Answer) => Answer = (answer) => answer,
): OnceHost => {
  const events: string[] = [];
  const replies = createReplies(SEALS);
  const counts = { begun: 0, asked: 0 };
  const open = new Map<string, { once: OnceText | null; id: string; call: LoggedCall }>();
  const write = (outcome: Outcome | null, call: Stopped, reply: Reply | null): string => {
    const { invocationId, correlation } = idsOf(call);
    const id = `evt_${events.push(`${outcome ?? "start"} ${invocationId}`)}`;
    const named = { capabilityId: "t.alias", capabilityVersion: "1.0.0" };
    const logged = { invocationId, correlation, outcome, ...named, at: 2, begunAt: 1 };
    if (reply) kept.set(reply.key, { text: reply.text, eventIds: [id], call: logged });
    if (outcome !== null) open.delete(invocationId);
    else
      open.set(invocationId, {
        once: readOnce(replies.binding(call)),
        id,
        call: { ...logged, outcome: "indeterminate" },
      });
    return id;
  };
  const afterCrash = (): Map<string, KeptReply> => {
    const after = new Map(kept);
    for (const { once, id, call } of open.values()) {
      const text = once && unknownReply(once.hash, TARGET.flatName, TARGET.capability.id);
      if (once && text !== null) after.set(once.key, { text, eventIds: [id, "evt_recovered"], call });
    }
    return after;
  };
  const refuse = async (call: Stopped, refusal: unknown): Promise<Answer> => {
    const ending: Ending = { kind: "refusal", refusal: refusal as Refusal, stage: 3 };
    return end(call, ending);
  };
  const end = (call: Stopped, ending: Ending): Answer => {
    advance(call, { completedAt: 2 });
    const outcome = ending.kind === "refusal" ? ending.refusal.row.outcome : "success";
    const answer = { ending, outcome, evidenceId: null, tool: call.target?.flatName ?? null };
    const evidenceId = write(outcome, call, replies.keep(call, answer));
    const evidenceIds = [...(call.invocation?.evidenceIds ?? []), evidenceId];
    const record = {
      ...idsOf(call),
      capabilityId: "t.alias",
      capabilityVersion: "1.0.0",
      evidenceIds,
      startedAt: call.invocation?.startedAt ?? null,
      completedAt: 2,
    };
    return { ...answer, principal: call.principal ?? null, evidenceId, record };
  };
  const find = (presented: Presented): Principal | null =>
    presented.kind === "bearer" ? (PEOPLE.get(presented.token) ?? null) : null;
  const identify: Identify = Object.assign(find, { knows: () => false });
  const next: HandleCall = async (raw) => {
    counts.asked++;
    if (raw.verified === null) return refuse(raw, (no("unauthenticated") as { refusal: Refusal }).refusal);
    const ending = behave(raw, counts.asked);
    const call = advance(raw, { principal: raw.verified.principal, target: TARGET }) as unknown as Approved;
    if (!(ending instanceof Promise) && ending.kind === "refusal" && ending.stage < 9) return end(call, ending);
    const invocation = {
      ...idsOf(call),
      id: idsOf(call).invocationId,
      salt: Buffer.alloc(0),
      evidenceIds: [],
      startedAt: 1,
    };
    const evidenceIds = [write(null, call, null)];
    counts.begun++;
    return last(end(advance(call, { invocation: { ...invocation, evidenceIds } }), await ending));
  };
  const handle = createOnce({
    identify,
    state: { reply: (key) => kept.get(key) ?? null },
    replies,
    next,
    refuse,
  });
  return { handle, events, kept, afterCrash, begun: () => counts.begun, asked: () => counts.asked };
};

const PEOPLE: ReadonlyMap<string, Principal> = new Map([
  ["runner", principal()],
  ["narrow", principal({ scopes: ["other__*"] })],
  ["aliased", principal({ scopes: ["t.alias"] })],
  ["elsewhere", principal({ workspace: "ws_other" })],
  ["ann", principal({ id: "agent:mcp-client", onBehalfOf: "person:ann" })],
  ["bob", principal({ id: "agent:mcp-client", onBehalfOf: "person:bob" })],
]);

export interface CallOrder {
  readonly id?: string | null;
  readonly as?: string;
  readonly name?: string;
  readonly args?: Readonly<Record<string, unknown>>;
  readonly signal?: AbortSignal;
  readonly envelope?: Partial<Envelope>;
}

export const rawCall = ({ id = "inv-1", as = "runner", ...more }: CallOrder = {}): RawCall =>
  ({
    door: "chp",
    operation: "call",
    name: more.name ?? "t.alias",
    provider: null,
    args: more.args ?? {},
    argsJson: null,
    extraParams: NO_MEMBERS,
    meta: NO_MEMBERS,
    presented: { kind: "bearer", token: as },
    verified: null,
    signal: more.signal ?? new AbortController().signal,
    continues: null,
    traceparent: null,
    envelope: id === null ? null : { ...NO_ENVELOPE, invocationId: id, onceKey: id, ...more.envelope },
  }) as unknown as RawCall;
