/**
 * One call of a script tool, from its turn to its result. What a person accepted and where the script lies is looked at right
 * before the start; what came of the run is the script's word, and how it was ended is a Refusal.
 */
import type { CallFacts, ProviderRequest } from "../../../kernel/provider.ts";
import type { RawMembers } from "../../../kernel/raw-json.ts";
import { Refusal } from "../../../kernel/refusal.ts";
import { worksOnFiles } from "../../../kernel/roots.ts";
import { ScriptNotStarted } from "../../../kernel/script-not-started.ts";
import type { ScriptEnd, ScriptOrder } from "../../../kernel/script.ts";
import type { PackageListing, PackageProviderOptions } from "../package-listing.ts";
import type { PackageTool } from "../skill-package.ts";
import { checkScript } from "./check-script.ts";
import { commandOf } from "./command-of.ts";
import { readOutput, type ReadOutput } from "./read-output.ts";
import {
  cancelled,
  cancelledBeforeStart,
  changedMeanwhile,
  closing,
  endedWithPackage,
  notAccepted,
  notStarted,
  outsidePackage,
  timedOut,
} from "./run-refusals.ts";
import { scriptInput } from "./script-input.ts";
import type { Turns } from "./turns.ts";

/** All that is needed of a request, so that a task keeps no more of it. */
export interface ToolRun {
  readonly tool: PackageTool;
  /** Of the tool as it was called. */
  readonly definition: string;
  readonly params: RawMembers;
  readonly facts: CallFacts | null;
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

export interface RunParts {
  readonly options: PackageProviderOptions;
  readonly turns: Turns;
  /** Aborted when the package is no longer served. The signal of each run follows it. */
  readonly closing: AbortSignal;
  readonly onStderr: (line: string) => void;
}

const MAX_OUTPUT_BYTES = 10_000_000;

/** Null: the package has no such tool that may run. */
export const toolRunOf = (listing: PackageListing, request: ProviderRequest): ToolRun | null => {
  const { name, params, signal, facts, limitMs } = request;
  const found = findTool(listing, name);
  if (found === null) return null;
  const limit = Math.min(found.tool.timeoutS * 1_000, limitMs ?? Infinity);
  return { ...found, params, facts: facts?.() ?? null, limitMs: limit, signal };
};

const findTool = ({ byName, tools }: PackageListing, name: string): Pick<ToolRun, "tool" | "definition"> | null => {
  const tool = byName.get(name);
  const definition = tools.find((listed) => listed.name === name)?.definition;
  return tool === undefined || definition === undefined ? null : { tool, definition };
};

/** Throws the Refusal of what did not start or was ended. */
export const runTool = async (run: ToolRun, parts: RunParts): Promise<ReadOutput> => {
  const leave = await takeTurn(run, parts);
  try {
    const order = await orderOf(run, parts);
    if (run.signal.aborted) throw notBegun(run, parts);
    return outcomeOf(await start(order, run, parts), run, parts);
  } finally {
    leave();
  }
};

const takeTurn = async (run: ToolRun, parts: RunParts): Promise<() => void> => {
  const { tool, signal, limitMs } = run;
  try {
    return await parts.turns.enter({ lane: tool.affinity, signal, limitMs });
  } catch (no) {
    throw no instanceof Refusal && no.kind === "cancelled" ? notBegun(run, parts) : no;
  }
};

const notBegun = (run: ToolRun, parts: RunParts): Refusal =>
  isClosing(run, parts) ? closing(parts.options.name) : cancelledBeforeStart();

/** Whoever gave the call up first is why it ended. */
const isClosing = ({ signal }: ToolRun, parts: RunParts): boolean =>
  parts.closing.aborted && signal.reason === parts.closing.reason;

const start = async (order: ScriptOrder, { tool }: ToolRun, { options }: RunParts): Promise<ScriptEnd> => {
  try {
    return await options.run(order);
  } catch (error) {
    throw error instanceof ScriptNotStarted ? notStarted(tool.name, error.message) : error;
  }
};

const orderOf = async (run: ToolRun, { options, onStderr }: RunParts): Promise<ScriptOrder> => {
  const { params, facts, limitMs, signal } = run;
  const { name: provider, listed, isIntact, grants } = options;
  // After this nothing is waited for but the look at the script itself.
  if (!(await isIntact())) throw notAccepted(provider);
  const { dir } = listed();
  const tool = unchanged(run, listed());
  const script = await checkScript(dir, tool.script);
  if (script === null) throw outsidePackage(provider, tool.script);
  return {
    provider,
    packageDir: dir,
    ...commandOf(tool.kind, script, tool.name),
    allowedEnv: grants(),
    roots: rootsOf(facts),
    input: scriptInput({ tool: tool.name, params, facts, deadline: Date.now() + limitMs }),
    limitMs,
    maxOutputBytes: MAX_OUTPUT_BYTES,
    signal,
    onStderr,
  };
};

/** While it waited for its turn a person may have accepted another one of its name, which this call is not for. */
const unchanged = ({ tool, definition }: ToolRun, listing: PackageListing): PackageTool => {
  const now = findTool(listing, tool.name);
  if (now?.definition !== definition) throw changedMeanwhile(tool.name);
  return now.tool;
};

/** A tool that requires no more than reading is not let write. */
const rootsOf = (facts: CallFacts | null): ScriptOrder["roots"] => {
  if (facts === null || !worksOnFiles(facts.required)) return [];
  const writable = facts.required.some((name) => name.startsWith("filesystem.") && name !== "filesystem.read");
  return facts.roots.rows.flatMap(({ path }) => (path === null ? [] : [{ path, writable }]));
};

const outcomeOf = (end: ScriptEnd, run: ToolRun, parts: RunParts): ReadOutput => {
  const { tool, limitMs } = run;
  if (end.how === "timed_out") throw timedOut(tool, limitMs);
  if (end.how === "cancelled")
    throw isClosing(run, parts) ? endedWithPackage(parts.options.name, tool) : cancelled(tool);
  return readOutput(end, tool);
};
