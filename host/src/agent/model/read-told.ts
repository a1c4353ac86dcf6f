/**
 * Reads what an error of the SDK, or an error in the middle of a stream, tells: the status, the provider's words, when
 * to try again.
 */
import { ModelError } from "../../kernel/model.ts";

export interface Told {
  /** Of HTTP, where that was the refusal; null: the answer had begun, or there was none. */
  readonly status: number | null;
  readonly type: string | null;
  readonly code: string | null;
  /** The provider's own sentence. */
  readonly text: string | null;
  readonly retryAfterMs: number | null;
  /** The provider itself said that it failed. */
  readonly isError: boolean;
  readonly isUnreadable: boolean;
}

type Members = Readonly<Record<string, unknown>>;

const NOTHING: Told = {
  status: null,
  type: null,
  code: null,
  text: null,
  retryAfterMs: null,
  isError: false,
  isUnreadable: false,
};

/** A ModelError of our own comes out as it is, however deep the SDK has wrapped it. */
export const readTold = (error: unknown): Told | ModelError => {
  const chain = causesOf(error);
  const own = chain.find((cause) => cause instanceof ModelError);
  if (own !== undefined) return own;
  if (!(error instanceof Error)) return { ...NOTHING, ...readWords(error) };
  const told = error as Error & { statusCode?: number; responseHeaders?: Members; responseBody?: string };
  const status = told.statusCode;
  if (status !== undefined && (status < 200 || status > 299)) {
    const body = parse(told.responseBody);
    const words = readWords(body);
    const retryAfterMs = readRetryAfter(told.responseHeaders ?? {});
    // An error that opens a stream is given a status by the SDK; its body is then the bare words, or what could not be read.
    if ((status === 500 || status === 529) && isBare(body))
      return { ...NOTHING, ...words, retryAfterMs, isUnreadable: !words.isError };
    return { ...NOTHING, ...words, status, retryAfterMs };
  }
  const code = chain.map((cause) => (cause as { code?: unknown }).code).find((value) => typeof value === "string");
  return { ...NOTHING, code: code ?? null, isUnreadable: code === undefined };
};

const causesOf = (error: unknown): Error[] => {
  const chain: Error[] = [];
  for (let at = error; at instanceof Error && chain.length < 8; at = at.cause) chain.push(at);
  return chain;
};

const UNREADABLE = new Set<unknown>(["AI_JSONParseError", "AI_TypeValidationError"]);

const isBare = (body: unknown): boolean =>
  isMembers(body) && !("error" in body) && (UNREADABLE.has(body["name"]) || isErrorWord(body["type"]));

const isErrorWord = (type: unknown): boolean => typeof type === "string" && type.endsWith("_error");

const isMembers = (value: unknown): value is Members => typeof value === "object" && value !== null;

const parse = (text: string | undefined): unknown => {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return null;
  }
};

/** `{error: {type, code, message}}`, `{error: "text"}`, or the members themselves. */
const readWords = (body: unknown): Pick<Told, "type" | "code" | "text" | "isError"> => {
  const members = isMembers(body) ? body : {};
  const inner = members["error"];
  if (typeof inner === "string") return { type: null, code: null, text: inner, isError: true };
  const source = isMembers(inner) ? inner : members;
  const text = textOf(source["message"]) ?? textOf(source["detail"]);
  const type = textOf(source["type"]);
  return { type, code: textOf(source["code"]), text, isError: type !== null || text !== null };
};

const textOf = (value: unknown): string | null => (typeof value === "string" && value !== "" ? value : null);

const LONGEST_WAIT = 86_400_000;

/** Seconds, a date, or milliseconds under a name of their own. */
const readRetryAfter = (headers: Members): number | null => {
  const exact = textOf(headers["retry-after-ms"]);
  const given = textOf(headers["retry-after"]);
  const ms = exact !== null ? Number(exact) : given === null ? Number.NaN : waitOf(given);
  return Number.isFinite(ms) ? Math.min(Math.max(0, Math.ceil(ms)), LONGEST_WAIT) : null;
};

const waitOf = (given: string): number => {
  const seconds = Number(given);
  return Number.isFinite(seconds) ? seconds * 1000 : Date.parse(given) - Date.now();
};

/** How providers of both wires say that the request holds more tokens than the model takes. */
const OVERFLOW: readonly RegExp[] = [
  /(?:prompt|input) is too long/i,
  /exceeds? (?:the )?(?:available |model's )?context/i,
  /(?:maximum|greater than the) context (?:length|window|size)/i,
  /context[_ ](?:length|window|size)[_ ](?:is )?exceeded/i,
  /token count.{0,80}exceeds the maximum/i,
  /maximum prompt length/i,
  /reduce the length of the messages/i,
];

export const isOverflow = ({ status, text }: Told): boolean => {
  if (text === null || status === 429) return false;
  const beginning = text.slice(0, 2000);
  return OVERFLOW.some((pattern) => pattern.test(beginning));
};
