/**
 * An answer as text, and back. Results and errors of an upstream stay the text that came. The text is a list without names,
 * because two are written for every such call: half the time and two thirds of the length of an object.
 */
import type { Answer, CallRecord, Ending } from "../../kernel/call.ts";
import type { Outcome } from "../../kernel/evidence.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { REFUSALS, type RefusalKind } from "../../kernel/refusals.ts";

export interface KeptAnswer extends Pick<Answer, "ending" | "outcome" | "tool"> {
  /** `OnceBinding.call` */
  readonly call: string;
  /** As text it is without the events that it is written together with. */
  readonly record: CallRecord;
}

const VERSION = 2;
/** An object with names. */
const EARLIER_VERSION = 1;

interface RefusalText {
  readonly kind: RefusalKind;
  readonly message: string;
  readonly next: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly retryAfterMs: number | null;
  readonly retryable: boolean;
}

type EndingText =
  | Extract<Ending, { kind: "result" }>
  | (Omit<Extract<Ending, { kind: "error" }>, "indeterminate"> & { readonly indeterminate?: RefusalText })
  | { readonly kind: "refusal"; readonly refusal: RefusalText; readonly stage: number };

interface ReplyText {
  readonly call: string;
  readonly tool: string | null;
  readonly record: CallRecord;
  /** This and the ending are null while nobody knows how the call ends. */
  readonly outcome: Outcome | null;
  readonly ending: EndingText | null;
}

type ReplyList = readonly [
  version: typeof VERSION,
  call: string,
  tool: string | null,
  invocationId: string,
  correlationId: string,
  causationId: string | null,
  parentId: string | null,
  traceId: string | null,
  fresh: boolean,
  capabilityId: string,
  capabilityVersion: string | null,
  evidenceIds: readonly string[],
  startedAt: number | null,
  completedAt: number,
  outcome: Outcome | null,
  ending: EndingText | null,
];

const refusalText = ({ kind, message, next, details, retryAfterMs, retryable }: Refusal): RefusalText => ({
  kind,
  message,
  next,
  details,
  retryAfterMs,
  retryable,
});

/** Null: it has no form, because the call goes on. */
const endingText = (ending: Ending): EndingText | null => {
  if (ending.kind === "input") return null;
  if (ending.kind === "result") return ending;
  if (ending.kind === "refusal") return { kind: "refusal", refusal: refusalText(ending.refusal), stage: ending.stage };
  const { indeterminate, ...said } = ending;
  return indeterminate ? { ...said, indeterminate: refusalText(indeterminate) } : said;
};

const encode = ({ call, tool, record, outcome, ending }: ReplyText): string => {
  const { id, causationId, parentId, traceId, fresh } = record.correlation;
  const { invocationId, capabilityId, capabilityVersion, evidenceIds, startedAt, completedAt } = record;
  return JSON.stringify([
    VERSION,
    call,
    tool,
    invocationId,
    id,
    causationId,
    parentId,
    traceId,
    fresh,
    capabilityId,
    capabilityVersion,
    evidenceIds,
    startedAt,
    completedAt,
    outcome,
    ending,
  ] satisfies ReplyList);
};

/** One line; null: the call goes on. */
export const encodeReply = ({ call, outcome, tool, record, ending }: KeptAnswer): string | null => {
  const said = endingText(ending);
  return said === null || outcome === null ? null : encode({ call, tool, record, outcome, ending: said });
};

/** That nobody knows how it ended, for a call that begins; replaced when it ends. */
export const encodeUnknown = ({ call, tool, record }: Pick<KeptAnswer, "call" | "tool" | "record">): string =>
  encode({ call, tool, record, outcome: null, ending: null });

const readList = (list: ReplyList): ReplyText => {
  const [, call, tool, invocationId, id, causationId, parentId, traceId, fresh, capabilityId, ...more] = list;
  const [capabilityVersion, evidenceIds, startedAt, completedAt, outcome, ending] = more;
  const correlation = { id, causationId, parentId, traceId, fresh };
  const record = { invocationId, correlation, capabilityId, capabilityVersion, evidenceIds, startedAt, completedAt };
  return { call, tool, record, outcome, ending };
};

const readUnknown = ({ call, tool, record }: ReplyText): KeptAnswer => {
  const refusal = new Refusal("indeterminate", {
    message: `The host stopped while ${tool} ran, and nobody knows whether it took effect.`,
    next: "Check its effect yourself, then decide; a call with a new id runs it again.",
    details: { reason: "host_stopped" },
    retryable: false,
  });
  return { call, outcome: "indeterminate", tool, record, ending: { kind: "refusal", refusal, stage: 10 } };
};

const readRefusal = ({ kind, message, next, details, retryAfterMs, retryable }: RefusalText): Refusal =>
  new Refusal(kind, { message, next, details, retryable, ...(retryAfterMs === null ? {} : { retryAfterMs }) });

const readEnding = (ending: EndingText): Ending => {
  if (ending.kind === "result") return ending;
  if (ending.kind === "refusal") return { ...ending, refusal: readRefusal(ending.refusal) };
  const { indeterminate, ...said } = ending;
  return indeterminate ? { ...said, indeterminate: readRefusal(indeterminate) } : said;
};

/** Null for what no version known here wrote. */
const readReply = (text: string): ReplyText | null => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (Array.isArray(value)) return value[0] === VERSION ? readList(value as unknown as ReplyList) : null;
  const earlier = value as (Partial<ReplyText> & { readonly version?: unknown }) | null;
  if (earlier?.version !== EARLIER_VERSION) return null;
  return { outcome: null, ending: null, ...(earlier as Omit<ReplyText, "outcome" | "ending">) };
};

/** Null for what no version known here wrote. */
export const decodeReply = (text: string): KeptAnswer | null => {
  const reply = readReply(text);
  if (reply === null) return null;
  const { call, outcome, tool, record, ending } = reply;
  if (ending === null) return readUnknown(reply);
  if (ending.kind === "refusal" && !Object.hasOwn(REFUSALS, ending.refusal.kind)) return null;
  return { call, outcome, tool, record, ending: readEnding(ending) };
};
