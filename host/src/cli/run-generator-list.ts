/** `bailiwick generator list`: the generators with what they lack, and below the table the plug-ins that are none. */
import type { CommandContext, RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { readGenerators, type GeneratorSeen, type GeneratorsSeen } from "./read-generators.ts";
import { reachRunning } from "./reach-running.ts";
import { renderTable } from "./table.ts";
import { visibleText } from "./visible-text.ts";

const AVAILABLE = "available";
const HEAD = ["type", "version", "source", "status", "availability"];

export const runGeneratorList: RunCommand = (context) =>
  reachRunning(context, async () => {
    const seen = await readGenerators(context);
    if (context.json) context.terminal.raw(`${JSON.stringify(seen.document, null, 2)}\n`);
    else show(context, seen);
    return EXIT.done;
  });

const show = ({ terminal }: CommandContext, { generators, rejected }: GeneratorsSeen): void => {
  const cells = generators.map((each) =>
    [each.type, each.version, each.source, each.status, availabilityOf(each)].map(visibleText),
  );
  const paint = (cell: string, column: number, row: number): string => {
    if (row === 0) return terminal.paint.dim(cell);
    if (column === 0) return terminal.paint.bold(cell);
    return column === 4 && cell !== AVAILABLE ? terminal.paint.yellow(cell) : cell;
  };
  for (const line of renderTable([HEAD, ...cells], { width: terminal.width, paint })) terminal.out(line);
  if (rejected.length > 0) terminal.out();
  for (const { path, code, message } of rejected) {
    terminal.out(`${terminal.paint.yellow(`rejected: ${visibleText(path)}`)}  ${visibleText(`${code}  ${message}`)}`);
  }
  const missing = [...new Set(generators.flatMap((each) => each.missing))];
  if (missing.length > 0) {
    terminal.note(`→ Set ${missing.map(visibleText).join(", ")} where the host is started, and start it again.`);
  }
  if (rejected.length > 0) {
    terminal.note(
      "→ Correct a rejected file, or take it out; the next list looks at it again: bailiwick generator list",
    );
  }
};

const availabilityOf = ({ isAvailable, missing, reason }: GeneratorSeen): string => {
  if (isAvailable) return AVAILABLE;
  if (missing.length > 0) return `missing: ${missing.join(", ")}`;
  return reason === "" ? "unavailable" : `unavailable: ${reason}`;
};
