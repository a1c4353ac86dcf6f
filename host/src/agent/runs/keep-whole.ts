/** The whole of a result that is too long for the model becomes a file; what the model is told of it. */
import { Refusal } from "../../kernel/refusal.ts";
import { oneLine } from "../prompt/one-line.ts";

export interface WholeResult {
  /** Full name. */
  readonly tool: string;
  readonly filename: string;
  readonly text: string;
}

export interface KeepOptions {
  /** Returns the URI. Refusal `quota_exceeded` and the like. */
  readonly keepFile: (whole: WholeResult) => Promise<string>;
  /** Who can read such a file: this run, only whoever is behind it, or nobody, and then there is none. */
  readonly reader: () => "run" | "principal" | "nobody";
  /** Told of what went wrong with the file, where that is a bug. */
  readonly report: (error: unknown) => void;
}

const MAX_NAME = 128;
const MAX_NOTE = 1_024;
/** Less than is shown, so that what is read this way is not cut again. */
const READ_LENGTH = 40_000;
const ASK_LESS = "Ask the tool for less.";

/** The tool has run, so whatever goes wrong here is told beside its result, never instead of it. */
export const keepWhole = async (
  { keepFile, reader, report }: KeepOptions,
  tool: string,
  text: string,
): Promise<string> => {
  const who = reader();
  if (who === "nobody") return `The rest is not kept, because the key behind this run may not read files. ${ASK_LESS}`;
  try {
    const uri = oneLine(await keepFile({ tool, filename: `${fileName(tool)}-result.txt`, text }), MAX_NOTE);
    if (who === "principal") {
      return `The whole is kept as the file ${uri}, which the person can open and which cannot be read in this run. ${ASK_LESS}`;
    }
    return `The whole is kept as the file ${uri}: read it in parts with files__read {"uri":${JSON.stringify(uri)},"offset":0,"length":${READ_LENGTH}}.`;
  } catch (no) {
    if (no instanceof Refusal)
      return `The rest could not be kept: ${oneLine(`${no.message} ${no.next}`, MAX_NOTE)} ${ASK_LESS}`;
    report(no);
    return `The rest could not be kept, because of an error in the host. ${ASK_LESS}`;
  }
};

const fileName = (tool: string): string => tool.replaceAll(/[^A-Za-z0-9_.-]/g, "_").slice(0, MAX_NAME) || "tool";
