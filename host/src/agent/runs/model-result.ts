/**
 * A tool's result, or a refusal, for the model: contained, and cut where it is long. The whole of a long one becomes a file,
 * which the note after it names.
 */
import { hash } from "node:crypto";
import type { RawJson } from "../../kernel/raw-json.ts";
import type { Refusal } from "../../kernel/refusal.ts";
import { contain } from "../prompt/contain.ts";
import { neutraliseTags } from "../prompt/neutralise-tags.ts";
import { cutText } from "../prompt/one-line.ts";
import { MOST_VALUES } from "./is-light.ts";
import { keepWhole, type KeepOptions } from "./keep-whole.ts";
import { resultText } from "./result-text.ts";

export interface ModelResultOptions extends KeepOptions {
  /** Full name of the tool. */
  readonly name: string;
  /** The CallToolResult. */
  readonly result: unknown;
}

export interface ModelResult {
  readonly text: string;
  /** The same, not contained. */
  readonly output: string;
  /** What tells two results apart: of a long one its beginning and a hash. */
  readonly content: string;
  readonly isError: boolean;
}

const MAX_SHOWN = 50_000;
const MAX_TAKEN = 1_000_000;
const MAX_REFUSED = 8_192;
/** How a server marks what is for the person alone. */
const MARK = '"audience"';

export const modelResult = async (options: ModelResultOptions): Promise<ModelResult> => {
  const { name, result } = options;
  const text = resultText(result);
  const isError = (result as { isError?: unknown } | null)?.isError === true;
  if (text.length <= MAX_SHOWN) {
    return { text: contain("tool-result", text, { name }), output: text, content: text, isError };
  }
  const shown = cutText(text, MAX_SHOWN);
  const kept = await keepWhole(options, name, text);
  if (text.length > MAX_TAKEN) {
    const much = `${text.length} characters, more than the ${MAX_TAKEN} that are taken`;
    return untaken({ name, whole: text, much, kept });
  }
  const note = `Note of the host: the result has ${text.length} characters, and only its first ${shown.length} are shown. ${kept}`;
  return {
    text: `${contain("tool-result", shown, { name })}\n${neutraliseTags(note)}`,
    output: `${shown}\n${note}`,
    content: fingerprint(text),
    isError,
  };
};

export interface HeavyResultOptions extends KeepOptions {
  readonly name: string;
  readonly json: RawJson;
}

/** Of one with so many values that it is not looked into, so that nobody knows which of them are for the person alone. */
export const heavyResult = async (options: HeavyResultOptions): Promise<ModelResult> => {
  const { name, json } = options;
  const kept = json.includes(MARK)
    ? "It is not kept as a file, because parts of it are for the person alone. Ask the tool for less."
    : await keepWhole(options, name, json);
  return untaken({ name, whole: json, much: `${json.length} characters in more than ${MOST_VALUES} values`, kept });
};

interface Untaken {
  readonly name: string;
  readonly whole: string;
  readonly much: string;
  readonly kept: string;
}

const untaken = ({ name, whole, much, kept }: Untaken): ModelResult => {
  const said = `The result has ${much}, so none of it is shown. ${kept}`;
  return { text: contain("tool-result", said, { name }), output: said, content: fingerprint(whole), isError: true };
};

const fingerprint = (text: string): string => `${cutText(text, MAX_SHOWN)}\n(sha256 ${hash("sha256", text)})`;

/** Code, reason and next step, so that the model can adapt. A refusal may quote a server. */
export const refusalResult = (name: string, { kind, message, next }: Refusal): ModelResult => {
  const content = `${kind}: ${cutText(message, MAX_REFUSED)}\nNext step: ${cutText(next, MAX_REFUSED)}`;
  return { text: contain("tool-result", content, { name }), output: content, content, isError: true };
};
