/** The text that a generator made, on standard output as it is, and beside it what is known about it. */
import { shellWord } from "../kernel/shell-word.ts";
import type { CommandContext } from "./command.ts";
import type { Members } from "./read-compose-answer.ts";
import { describeFinding } from "./describe-finding.ts";
import { visibleText } from "./visible-text.ts";

export interface Generated {
  readonly text: string;
  /** What the trial answered. */
  readonly tested: Members;
  /** About the config. */
  readonly warnings: unknown;
  readonly draftId: string;
  readonly configId: unknown;
}

/** How a trial ends that shows only the beginning. */
const CUT = /\n\n\.\.\. \(truncated, total (\d+) chars\)$/;

export const showGenerated = ({ terminal }: CommandContext, made: Generated): void => {
  const { text, tested, warnings } = made;
  const { content_length: length, generator_used: generator, selection_rule: rule } = tested;
  // Into a pipe or file goes exactly what was made; on a screen its control characters are shown, not obeyed.
  if (terminal.interactive) terminal.out(text);
  else terminal.raw(`${text}\n`);
  // What is odd about the config is often told with the text again.
  for (const line of new Set([warnings, tested["validation_issues"]].flatMap(linesOf))) {
    terminal.note(terminal.notePaint.yellow(line));
  }
  const size = length === 1 ? "1 character" : `${String(length)} characters`;
  const about = `Made by ${String(generator)} (${String(rule)}): ${size}. The text is not stored.`;
  terminal.note(terminal.notePaint.dim(visibleText(about)));
  if (CUT.exec(text)?.[1] === String(length)) for (const step of restOf(made)) terminal.note(`→ ${step}`);
};

const linesOf = (found: unknown): readonly string[] =>
  Array.isArray(found) ? found.flatMap((item) => describeFinding(item) ?? []) : [];

/** The calls that give the whole text. */
const restOf = ({ draftId, configId }: Generated): readonly string[] => {
  const id = String(configId);
  const command = (tool: string, args: object): string =>
    visibleText(`bailiwick call compose__${tool} ${shellWord(JSON.stringify(args))}`);
  return [
    `For the whole text, save the config: ${command("save_config", { draft_id: draftId, config_id: id })}`,
    `And have it made: ${command("generate_content", { content_config_id: id })}`,
  ];
};
