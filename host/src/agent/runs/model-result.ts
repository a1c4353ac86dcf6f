/**
 * A tool's result, or a refusal, for the model: contained, and cut where it is long. The whole of a long one becomes a file, which the note
 * after it names.
 */
import { hash } from "node:crypto";
import { Refusal } from "../../kernel/refusal.ts";
import { contain } from "../prompt/contain.ts";
import { neutraliseTags } from "../prompt/neutralise-tags.ts";
import { cutText, oneLine } from "../prompt/one-line.ts";
import { resultText } from "./result-text.ts";

export interface ModelResultOptions {
  /** Full name of the tool. */
  readonly name: string;
  /** The CallToolResult. */
  readonly result: unknown;
  /** Returns the URI. Refusal `quota_exceeded` and the like. */
  readonly keepFile: (name: string, text: string) => Promise<string>;
  /** Told of what went wrong with the file, where that is a bug. */
  readonly report: (error: unknown) => void;
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
const MAX_NAME = 128;
const MAX_NOTE = 1_024;
/** Less than is shown, so that what is read this way is not cut again. */
const READ_LENGTH = 40_000;

export const modelResult = async (options: ModelResultOptions): Promise<ModelResult> => {
  const { name, result } = options;
  const text = resultText(result);
  const isError = (result as { isError?: unknown } | null)?.isError === true;
  if (text.length <= MAX_SHOWN) {
    return { text: contain("tool-result", text, { name }), output: text, content: text, isError };
  }
  const shown = cutText(text, MAX_SHOWN);
  const content = `${shown}\n(sha256 ${hash("sha256", text)})`;
  const kept = await keep(options, text);
  if (text.length > MAX_TAKEN) {
    const said = `The result has ${text.length} characters, more than the ${MAX_TAKEN} that are taken, so none of it is shown. ${kept}`;
    return { text: contain("tool-result", said, { name }), output: said, content, isError: true };
  }
  const note = `Note of the host: the result has ${text.length} characters, and only its first ${shown.length} are shown. ${kept}`;
  return {
    text: `${contain("tool-result", shown, { name })}\n${neutraliseTags(note)}`,
    output: `${shown}\n${note}`,
    content,
    isError,
  };
};

/** The tool has run, so whatever goes wrong here is told beside its result, never instead of it. */
const keep = async ({ name, keepFile, report }: ModelResultOptions, text: string): Promise<string> => {
  try {
    const uri = oneLine(await keepFile(`${fileName(name)}-result.txt`, text), MAX_NOTE);
    return `The whole is kept as the file ${uri}: read it in parts with files__read {"uri":${JSON.stringify(uri)},"offset":0,"length":${READ_LENGTH}}.`;
  } catch (no) {
    const asked = "Ask the tool for less.";
    if (no instanceof Refusal)
      return `The rest could not be kept: ${oneLine(`${no.message} ${no.next}`, MAX_NOTE)} ${asked}`;
    report(no);
    return `The rest could not be kept, because of an error in the host. ${asked}`;
  }
};

const fileName = (tool: string): string => tool.replaceAll(/[^A-Za-z0-9_.-]/g, "_").slice(0, MAX_NAME) || "tool";

/** Code, reason and next step, so that the model can adapt. A refusal may quote a server. */
export const refusalResult = (name: string, { kind, message, next }: Refusal): ModelResult => {
  const content = `${kind}: ${cutText(message, MAX_REFUSED)}\nNext step: ${cutText(next, MAX_REFUSED)}`;
  return { text: contain("tool-result", content, { name }), output: content, content, isError: true };
};
