/**
 * An answer as text, and back. Results and errors of an upstream stay the text that came. The text is a list without names
 * and has hardly anything that the log says of the call, because one is written for every such call.
 */
import type { Answer, CallRecord, Ending } from "../../kernel/call.ts";
import type { LoggedCall, Outcome } from "../../kernel/evidence.ts";
import { REPLY_VERSION } from "../../kernel/once-text.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { REFUSALS, type RefusalKind } from "../../kernel/refusals.ts";
import { shortHash } from "./once-binding.ts";

/** What an answer says of its call and the log does not. */
export type KeptRecord = Omit<CallRecord, "invocationId" | "correlation">;

export interface KeptAnswer extends Pick<Answer, "ending" | "outcome" | "tool"> {
  /** As `callHash` has it. */
  readonly call: string;
  readonly record: CallRecord;
}

interface ToKeep extends Pick<KeptAnswer, "call" | "tool"> {
  /** Without the events that it is written together with. */
  readonly record: KeptRecord;
}

/** Of a result without anything beside it. */
const PLAIN_MEMBERS = 3;
/**
 * Nearly all are such: call, capability, which is the tool too, when it began, how long it took; then the result as it came, or
 * of one that is a single text nothing but that, in its quotes.
 */
const PLAIN = /^4([\w-]+),([\w.:-]+),(\d+),(\d+)(?=[{"])/;
const [BEFORE_TEXT, AFTER_TEXT] = ['{"content":[{"type":"text","text":"', '"}]}'];
/** As earlier versions had it: a list, then the result. */
const EARLIER_PLAIN = /^\[3,"([\w-]+)","([\w.:-]+)",(\d+),(\d+)\](?=\{)/;
/** Lists with what the log has too. */
const WITH_IDS_VERSION = 2;
/** Objects with names. */
const NAMED_VERSION = 1;

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

/** As `unknownReply` has it. The log may have taken a secret out of the name. */
type IntentList = readonly [
  version: typeof REPLY_VERSION,
  call: string,
  capabilityId: string,
  /** Absent: the same as the capability. */
  tool?: string,
];

type ReplyList = readonly [
  version: typeof REPLY_VERSION,
  call: string,
  capabilityId: string,
  capabilityVersion: string | null,
  /** 0: the same as the capability. */
  tool: string | null | 0,
  startedAt: number | null,
  completedAt: number,
  ending: EndingText,
  /** Absent: none. */
  ...evidenceIds: readonly string[],
];

const MAX_INTENT_ITEMS = 4;
const MIN_ITEMS = 8;

type ListWithIds = readonly [
  version: typeof WITH_IDS_VERSION,
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

const quote = (text: string | null): string => (text === null ? "null" : JSON.stringify(text));

/** By hand, because one is written for every such call. */
const listText = ({ call, tool, record }: ToKeep, ending: string): string => {
  const { capabilityId, capabilityVersion, evidenceIds, startedAt, completedAt } = record;
  const ids = evidenceIds.length === 0 ? "" : `,"${evidenceIds.join('","')}"`;
  return (
    `[${REPLY_VERSION},"${call}",${quote(capabilityId)},${quote(capabilityVersion)},` +
    `${tool === capabilityId ? 0 : quote(tool)},${startedAt ?? "null"},${completedAt},${ending}${ids}]`
  );
};

/** Null: there is more to be said than this form can. */
const plainText = ({ call, tool, record }: ToKeep, ending: Ending): string | null => {
  const { capabilityId, evidenceIds, startedAt, completedAt } = record;
  if (tool !== capabilityId || evidenceIds.length > 0 || startedAt === null || completedAt < startedAt) return null;
  if (ending.kind !== "result" || ending.isError || Object.keys(ending).length !== PLAIN_MEMBERS) return null;
  if (!ending.json.startsWith("{") || ending.json.includes("\n")) return null;
  return `4${call},${capabilityId},${startedAt},${completedAt - startedAt}${shortened(ending.json)}`;
};

const shortened = (json: string): string => {
  const end = json.length - AFTER_TEXT.length;
  const isText = json.startsWith(BEFORE_TEXT) && json.endsWith(AFTER_TEXT);
  // One in the text, escaped, is found first.
  return isText && json.indexOf('"', BEFORE_TEXT.length) === end ? json.slice(BEFORE_TEXT.length - 1, end + 1) : json;
};

const wholeResult = (text: string): string =>
  text.startsWith('"') ? `${BEFORE_TEXT}${text.slice(1, -1)}${AFTER_TEXT}` : text;

/** One line; null: the call goes on. */
export const encodeReply = (kept: ToKeep, ending: Ending): string | null => {
  const plain = plainText(kept, ending);
  if (plain !== null) return plain;
  const said = endingText(ending);
  return said === null ? null : listText(kept, JSON.stringify(said));
};

const isIntent = (list: ReplyList | IntentList): list is IntentList => list.length <= MAX_INTENT_ITEMS;

const readList = (list: ReplyList | IntentList, logged: LoggedCall): ReplyText | null => {
  const { invocationId, correlation, outcome } = logged;
  if (isIntent(list)) {
    const { capabilityVersion, at, begunAt } = logged;
    const [, call, capabilityId, tool = capabilityId] = list;
    if (capabilityId === undefined) return null;
    const times = { startedAt: begunAt ?? at, completedAt: at };
    const record = { invocationId, correlation, capabilityId, capabilityVersion, evidenceIds: [], ...times };
    return { call, tool, record, outcome: null, ending: null };
  }
  if (list.length < MIN_ITEMS) return null;
  const [, call, capabilityId, capabilityVersion, tool, startedAt, completedAt, ending, ...evidenceIds] = list;
  const ids = { invocationId, correlation, capabilityId, capabilityVersion };
  const record = { ...ids, evidenceIds, startedAt, completedAt };
  return { call, tool: tool === 0 ? capabilityId : tool, record, outcome, ending };
};

const readPlain = (text: string, logged: LoggedCall): ReplyText | null => {
  const [all, call, capabilityId, started, took] = PLAIN.exec(text) ?? EARLIER_PLAIN.exec(text) ?? [];
  if (all === undefined || call === undefined || capabilityId === undefined) return null;
  const { invocationId, correlation, capabilityVersion, outcome } = logged;
  const times = { startedAt: Number(started), completedAt: Number(started) + Number(took) };
  const record = { invocationId, correlation, capabilityId, capabilityVersion, evidenceIds: [], ...times };
  const ending = { kind: "result", json: rawJson(wholeResult(text.slice(all.length))), isError: false } as const;
  return { call, tool: capabilityId, record, outcome, ending };
};

/** As earlier versions have it. */
const fromHex = (hash: unknown): string => shortHash(Buffer.from(String(hash), "hex").toString("base64url"));

const readWithIds = (list: ListWithIds): ReplyText => {
  const [, call, tool, invocationId, id, causationId, parentId, traceId, fresh, capabilityId, ...more] = list;
  const [capabilityVersion, evidenceIds, startedAt, completedAt, outcome, ending] = more;
  const correlation = { id, causationId, parentId, traceId, fresh };
  const record = { invocationId, correlation, capabilityId, capabilityVersion, evidenceIds, startedAt, completedAt };
  return { call: fromHex(call), tool, record, outcome, ending };
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
const readReply = (text: string, logged: LoggedCall): ReplyText | null => {
  const plain = readPlain(text, logged);
  if (plain !== null) return plain;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (Array.isArray(value)) {
    if (value[0] === REPLY_VERSION) return readList(value as unknown as ReplyList, logged);
    return value[0] === WITH_IDS_VERSION ? readWithIds(value as unknown as ListWithIds) : null;
  }
  const named = value as (Partial<ReplyText> & { readonly version?: unknown }) | null;
  if (named?.version !== NAMED_VERSION) return null;
  const reply = named as Omit<ReplyText, "outcome" | "ending">;
  return { outcome: null, ending: null, ...reply, call: fromHex(reply.call) };
};

/** `logged`: the call as the log has it. Null for what no version known here wrote. */
export const decodeReply = (text: string, logged: LoggedCall): KeptAnswer | null => {
  const reply = readReply(text, logged);
  if (reply === null || typeof reply.call !== "string" || reply.call === "") return null;
  const { call, outcome, tool, record, ending } = reply;
  if (ending === null) return readUnknown(reply);
  if (ending.kind === "refusal" && !Object.hasOwn(REFUSALS, ending.refusal.kind)) return null;
  return { call, outcome, tool, record, ending: readEnding(ending) };
};
