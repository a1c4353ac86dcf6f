/** An answer as text, and back. Results and errors of an upstream stay the text that came. */
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

const VERSION = 1;

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
  readonly version: number;
  readonly call: string;
  readonly outcome: Outcome;
  readonly tool: string | null;
  readonly record: CallRecord;
  readonly ending: EndingText;
}

/** Of a call that began; replaced when it ends. */
interface UnknownText {
  readonly version: number;
  readonly call: string;
  readonly tool: string;
  readonly record: CallRecord;
}

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

/** One line; null: the call goes on. */
export const encodeReply = ({ call, outcome, tool, record, ending }: KeptAnswer): string | null => {
  const said = endingText(ending);
  if (said === null || outcome === null) return null;
  return JSON.stringify({ version: VERSION, call, outcome, tool, record, ending: said } satisfies ReplyText);
};

/** That nobody knows how it ended. Written for every such call that begins, so no more than has to be. */
export const encodeUnknown = ({ call, tool, record }: Omit<UnknownText, "version">): string =>
  JSON.stringify({ version: VERSION, call, tool, record } satisfies UnknownText);

const readUnknown = ({ call, tool, record }: UnknownText): KeptAnswer => {
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

/** Null for what this version did not write. */
export const decodeReply = (text: string): KeptAnswer | null => {
  let reply: ReplyText | UnknownText;
  try {
    reply = JSON.parse(text) as ReplyText | UnknownText;
  } catch {
    return null;
  }
  if (reply.version !== VERSION) return null;
  if (!("ending" in reply)) return readUnknown(reply);
  const { ending, call, outcome, tool, record } = reply;
  if (ending.kind === "refusal" && !Object.hasOwn(REFUSALS, ending.refusal.kind)) return null;
  return { call, outcome, tool, record, ending: readEnding(ending) };
};
