/**
 * What a server may ask back while its call runs, and who answers. Between the legs a question has this one form, whichever
 * era either side speaks. What a caller did not declare is never asked of it.
 */
import type { Presented } from "./principal.ts";
import { rawJson, type RawJson } from "./raw-json.ts";

export type AskMethod = "elicitation/create" | "sampling/createMessage" | "roots/list";

export const ASK_METHODS: ReadonlySet<string> = new Set<AskMethod>([
  "elicitation/create",
  "sampling/createMessage",
  "roots/list",
]);

export interface Ask {
  readonly method: AskMethod;
  /** The params object as it came; `{}` when there was none. */
  readonly params: RawJson;
  /** Under which name the server would like the answer; null: it does not say. */
  readonly key: string | null;
}

/** `json` of an error is the whole error object. */
export type AskAnswer = (
  | { readonly kind: "result"; readonly json: RawJson }
  | { readonly kind: "error"; readonly json: RawJson; readonly code: number; readonly message: string }
) & {
  /** The call may not go on: the server gets this answer, and then the call is cancelled. */
  readonly withdraw?: true;
  /** What the caller showed when it answered, if that is not what it showed with its call. */
  readonly presented?: Presented;
};

/** Client capabilities as a caller declared them: as text for forwarding, and parsed for reading. */
export interface Declared {
  readonly json: RawJson;
  readonly value: Readonly<Record<string, unknown>>;
}

/** Given the params of the server's notice. */
export type Completed = (params: RawJson) => void;

export interface Asker {
  readonly declared: Declared;
  /**
   * True: the caller takes `input_required` as the end of its request and comes back with the answers, so that a server of
   * the same kind need not be kept waiting. False: it is asked while the call goes on.
   */
  readonly returns: boolean;
  /** True while a question is out and the caller has no request open that waits for its answer. */
  held(): boolean;
  /** Never rejects; a caller that left, or took too long, answers with an error or `{"action":"cancel"}`. */
  ask(ask: Ask, signal: AbortSignal): Promise<AskAnswer>;
  /**
   * Who is told when a person is done with the page that such a question sends them to, also after the call has ended.
   * Absent or null: this caller knows no such notice. What it returns keeps no request alive.
   */
  completion?(ask: Ask): Completed | null;
}

export const NOTHING_DECLARED: Declared = Object.freeze({ json: rawJson("{}"), value: Object.freeze({}) });

export const askError = (code: number, message: string, data?: object): AskAnswer => ({
  kind: "error",
  code,
  message,
  json: rawJson(JSON.stringify({ code, message, data })),
});

/** For doors with nobody behind them that could answer. */
export const NOBODY: Asker = Object.freeze({
  declared: NOTHING_DECLARED,
  returns: false,
  held: () => false,
  ask: () => Promise.resolve(askError(-32601, "The caller cannot be asked.")),
});
