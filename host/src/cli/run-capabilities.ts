/** `bailiwick capabilities list|add|remove`: what the host declares. A change names what is added or taken out, not the whole list. */
import type { ReachedHost } from "../assembly/reached-host.ts";
import type { CapabilitiesChange, DeclaredCapabilities } from "../kernel/environment.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { reach } from "./reach.ts";
import { renderTable } from "./table.ts";
import { visibleText } from "./visible-text.ts";

export const runCapabilitiesList: RunCommand = (context) =>
  reach(context, "none", async (host) => {
    const declared = await host.capabilities.list();
    if (context.json) context.terminal.raw(`${JSON.stringify(declared, null, 2)}\n`);
    else showDeclared(context, declared);
    return EXIT.done;
  });

export const runCapabilitiesAdd: RunCommand = (context) =>
  change(context, (declared) => [...new Set([...declared, ...context.args])], ADDED);

export const runCapabilitiesRemove: RunCommand = (context) =>
  change(context, (declared) => declared.filter((name) => !context.args.includes(name)), REMOVED);

type Edit = (declared: readonly string[]) => readonly string[];

/** What a person does about a change that is not in the file. */
const ADDED = "Add it to capabilities.declared of bailiwick.json, or it is gone at the next start.";
const REMOVED = "Take it out of capabilities.declared of bailiwick.json, or it is declared again at the next start.";

/** How often a list is made anew that somebody else changed meanwhile. */
const MAX_TRIES = 3;

const change = (context: CommandContext, edit: Edit, unwritten: string) =>
  reach(context, "open", async (host) => {
    const done = await declare(host.capabilities, edit, MAX_TRIES);
    if (context.json) context.terminal.raw(`${JSON.stringify(done, null, 2)}\n`);
    else showChange(context, done);
    if (!done.persisted) warnUnwritten(context, unwritten);
    return EXIT.done;
  });

/** Only what was asked for is changed: what somebody withdrew a moment ago must not come back with it. */
const declare = async (
  control: ReachedHost["capabilities"],
  edit: Edit,
  tries: number,
): Promise<CapabilitiesChange> => {
  const { declared } = await control.list();
  try {
    return await control.declare(edit(declared), declared);
  } catch (error) {
    if (!(error instanceof Refusal) || error.kind !== "stale_surface" || tries <= 1) throw error;
    return declare(control, edit, tries - 1);
  }
};

const showDeclared = ({ terminal }: CommandContext, { declared, providers }: DeclaredCapabilities): void => {
  const rows = [
    ...declared.map((name) => [name, "every tool"]),
    ...Object.entries(providers).flatMap(([provider, names]) => names.map((name) => [name, `tools of ${provider}`])),
  ];
  if (rows.length === 0) {
    terminal.note("No capability is declared. Declare one: bailiwick capabilities add <name>");
    return;
  }
  const table = [["capability", "for"], ...rows.map((row) => row.map(visibleText))];
  const paint = (cell: string, _column: number, row: number): string => (row === 0 ? terminal.paint.dim(cell) : cell);
  for (const line of renderTable(table, { width: terminal.width, paint })) terminal.out(line);
};

const showChange = ({ terminal }: CommandContext, { before, after }: CapabilitiesChange): void => {
  const added = after.filter((name) => !before.includes(name));
  const removed = before.filter((name) => !after.includes(name));
  for (const name of added) terminal.out(`${terminal.paint.green("+")} ${visibleText(name)}`);
  for (const name of removed) terminal.out(`${terminal.paint.red("-")} ${visibleText(name)}`);
  if (added.length + removed.length === 0) terminal.out("Nothing to change.");
  terminal.out(`Declared now: ${after.length === 0 ? "nothing" : after.map(visibleText).join(", ")}`);
};

const warnUnwritten = ({ terminal }: CommandContext, next: string): void => {
  terminal.note(terminal.notePaint.yellow("Warning: it could not be written to the configuration."));
  terminal.note(`→ ${next}`);
};
