/** Writes the outputs of an artifact, each whole or not at all. They were checked; what changed since then does no harm. */
import { writeBelow } from "../storage/rooted-files.ts";
import type { CheckedOutput } from "./check-outputs.ts";
import { tellOutputError, writeFailed } from "./output-faults.ts";

export interface Writing {
  /** In the order of the outputs. */
  readonly texts: readonly string[];
  readonly replace: boolean;
}

/** ComposeError `write_failed`, `invalid_output_path`; `written` in its details are those that were written before. */
export const writeOutputs = async (outputs: readonly CheckedOutput[], { texts, replace }: Writing): Promise<void> => {
  const written: string[] = [];
  for (const [at, { root, path, told }] of outputs.entries()) {
    const more = written.length === 0 ? {} : { written };
    let isDone: boolean;
    try {
      isDone = await writeBelow(root, path, { text: texts[at]!, replace });
    } catch (error) {
      throw tellOutputError(error, told, more);
    }
    if (!isDone)
      throw writeFailed(told, "a file of this name came meanwhile", {
        ...more,
        next: "Call assemble_artifact again, with force true to replace it.",
      });
    written.push(told);
  }
};
