/** `bailiwick import <path>`: shows what would be taken over from another program; with --apply it is. */
import { resolve } from "node:path";
import { applyImport } from "../assembly/import-apply.ts";
import { findImportPlace } from "../assembly/import-place.ts";
import { planImport } from "../assembly/import-plan.ts";
import { readImportSource } from "../assembly/import-source.ts";
import type { ImportPlace, ImportPlan, ImportSource, ImportStep } from "../assembly/import-step.ts";
import { findRunningHost } from "../assembly/running-host.ts";
import { shellWord } from "../kernel/shell-word.ts";
import { DEFAULT_WORKSPACE } from "../kernel/workspace.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { isSet } from "./flags.ts";
import { inWorkspace, openConfig } from "./open-config.ts";
import { renderTable } from "./table.ts";
import { visibleText } from "./visible-text.ts";

interface Outcome {
  readonly source: ImportSource;
  readonly place: ImportPlace;
  readonly plan: ImportPlan;
  readonly applied: boolean;
  readonly backup: string | null;
  readonly tightened: boolean;
  readonly isRunning: boolean;
}

export const runImport: RunCommand = async (context) => {
  const { home, env, cwd } = context;
  const loaded = openConfig(context);
  const workspace = inWorkspace(context).workspace ?? DEFAULT_WORKSPACE;
  const place = await findImportPlace({ loaded, workspace, home, env });
  const source = await readImportSource(resolve(cwd, expandHome(context.args[0] ?? "", home)), place);
  const plan = planImport(source, place);
  const applied = isSet(context, "apply");
  const done = applied ? await applyImport(plan, place) : { backup: null, tightened: false };
  const isRunning = (await findRunningHost(loaded.workDir)) !== null;
  const outcome = { source, place, plan, applied, ...done, isRunning };
  if (context.json) context.terminal.raw(`${JSON.stringify(jsonOf(outcome), null, 2)}\n`);
  else show(context, outcome);
  return EXIT.done;
};

/** The shell leaves it alone inside quotes. */
const expandHome = (path: string, home: string): string => (path.startsWith("~/") ? `${home}${path.slice(1)}` : path);

const jsonOf = ({ source, place, plan, applied, backup, isRunning }: Outcome): object => ({
  source: source.path,
  kind: source.kind,
  workspace: place.workspace,
  config: place.configFile,
  applied,
  backup,
  hostRunning: isRunning,
  steps: plan.steps,
  variables: plan.variables,
  notes: source.notes,
});

const WORDS: Readonly<Record<ImportStep["action"], string>> = { add: "add", there: "there already", skip: "skip" };

const show = (context: CommandContext, outcome: Outcome): void => {
  const { terminal } = context;
  const { source, plan, applied } = outcome;
  const cells = plan.steps.map(({ kind, from, to, action, notes }) => {
    const name = to === null || to === from ? from : `${from} as ${to}`;
    const reason = action === "add" ? "" : notes.join("; ");
    return [action === "add" && applied ? "added" : WORDS[action], kind, name, reason].map(visibleText);
  });
  const paint = (cell: string, column: number): string =>
    column === 0 && cell === "skip" ? terminal.paint.yellow(cell) : cell;
  for (const [at, line] of renderTable(cells, { width: terminal.width, paint }).entries()) {
    terminal.out(line);
    const { action, notes = [] } = plan.steps[at] ?? {};
    // Nothing of what will be run is cut off.
    if (action === "add") for (const note of notes) terminal.out(`    ${visibleText(note)}`);
  }
  if (plan.steps.length === 0) terminal.note("There is nothing in it to import.");
  for (const note of source.notes) terminal.note(visibleText(note));
  showVariables(context, outcome);
  showEnd(context, outcome);
};

const showVariables = ({ terminal }: CommandContext, { plan, source }: Outcome): void => {
  const { variables } = plan;
  if (variables.length === 0) return;
  terminal.note();
  terminal.note("Secrets are not copied. Set these variables where the host is started:");
  for (const { name, bundle, where, isSet: isThere } of variables) {
    const state = isThere ? " (set here)" : "";
    terminal.note(
      `  ${visibleText(name)}  for ${visibleText(bundle)}: ${visibleText(where)} in ${source.path}${state}`,
    );
  }
};

const showEnd = (context: CommandContext, outcome: Outcome): void => {
  const { plan, place, applied, backup, tightened, isRunning } = outcome;
  const { terminal, args } = context;
  const count = plan.steps.filter(({ action }) => action === "add").length;
  terminal.note();
  if (count === 0) terminal.note("Nothing is left to add.");
  else if (!applied) {
    const scope = place.workspace === DEFAULT_WORKSPACE ? "" : ` --workspace ${place.workspace}`;
    terminal.note(`Nothing was changed yet. Do it: bailiwick import ${shellWord(args[0] ?? "")} --apply${scope}`);
  } else {
    if (backup !== null) terminal.note(`${place.configFile} is changed; as it was: ${backup}`);
    if (tightened) terminal.note("Only its owner may read it from now on.");
    terminal.note(
      isRunning
        ? "The running host takes it over by itself. What became of it: bailiwick bundle list"
        : "It counts from the next start: bailiwick serve",
    );
  }
};
