/** Assembles an artifact of stored texts and writes it to its outputs. */
import { hash } from "node:crypto";
import type { Assemblies } from "../assemble/assemblies.ts";
import type { AssemblyPlan, SkippedChild } from "../assemble/plan-assembly.ts";
import type { ArtifactConfig } from "../configs/config-types.ts";
import type { Context } from "../configs/read-context.ts";
import type { RootList } from "../../kernel/roots.ts";
import type { Turns } from "../storage/turns.ts";
import type { ComposeCall, Workbench } from "../workbench.ts";
import { checkDependencies, type AssemblyWarning } from "./check-dependencies.ts";
import { checkOutputs, type CheckedOutput } from "./check-outputs.ts";
import { composeOutputs } from "./compose-outputs.ts";
import { gatherPlan } from "./gather-plan.ts";
import { goneFault } from "./gone-fault.ts";
import { readParts, type Component, type ReadParts } from "./read-parts.ts";
import { warnOfFallbacks } from "./warn-of-fallbacks.ts";
import { writeOutputs } from "./write-outputs.ts";

export interface AssemblyOrder {
  readonly config: ArtifactConfig;
  readonly context: Context;
  readonly force: boolean;
  readonly generateMissing: boolean;
  readonly call: ComposeCall;
}

export interface AssemblyPorts {
  readonly bench: Workbench;
  readonly assemblies: Assemblies;
  /** Those that the configuration gives the workspace, never a client's. */
  readonly roots: () => RootList;
  /** By first output. */
  readonly turns: Turns;
}

export interface Assembled {
  readonly status: "assembled" | "skipped" | "reassembled";
  readonly contents: number;
  readonly components: readonly Component[];
  readonly skipped: readonly SkippedChild[];
  /** Sizes are those on disk now; null: it is not there. */
  readonly outputs: readonly CheckedOutput[];
  readonly warnings: readonly AssemblyWarning[];
}

export const runAssembly = async (ports: AssemblyPorts, order: AssemblyOrder): Promise<Assembled> => {
  const { bench, assemblies, roots } = ports;
  const { config, call } = order;
  const outputs = await checkOutputs(config.metadata.outputs, roots());
  if (!order.force && isThere(outputs)) return skippedAs(outputs);
  const warnings = await checkDependencies(config, {
    isAssembled: async (id) => (await assemblies.last(id)) !== null,
    isStored: async (id) => (await bench.versions.versionsOf(id)).length > 0,
    limit: bench.limits().max_artifact_components,
  });
  // Generates before it takes a place: what waits for a generation holds up no assembly.
  const plan = await gatherPlan(bench, order);
  const first = outputs[0]!.real;
  const run = (signal: AbortSignal): Promise<Assembled> => assemble(ports, order, { plan, warnings, signal, first });
  return bench.queue.run({ kind: "assembly", lane: null, owner: call.owner, signal: call.signal, run });
};

interface Step {
  readonly plan: AssemblyPlan;
  /** Where the first output goes: two that write it take turns. */
  readonly first: string;
  readonly warnings: readonly AssemblyWarning[];
  readonly signal: AbortSignal;
}

const assemble = async (ports: AssemblyPorts, order: AssemblyOrder, step: Step): Promise<Assembled> => {
  const { bench, roots, turns } = ports;
  const { config, context, force } = order;
  const { signal } = step;
  const read = await readAll(bench, config, step.plan);
  const { texts, parts, skipped } = await composeOutputs(bench, { config, parts: read.parts, context, signal });
  return turns.run(step.first, async () => {
    signal.throwIfAborted();
    const outputs = await checkOutputs(config.metadata.outputs, roots());
    if (!force && isThere(outputs)) return skippedAs(outputs);
    await writeOutputs(outputs, { texts, replace: force });
    const components = parts.flatMap((part) => part.components);
    const digest = `sha256:${hash("sha256", texts[0]!)}`;
    const fallbacks = warnOfFallbacks(step.plan, components);
    const warnings = [
      ...step.warnings,
      ...fallbacks,
      ...(await remember(ports, { config, outputs, components, digest })),
    ];
    return {
      status: isThere(outputs) ? "reassembled" : "assembled",
      contents: parts.length,
      components,
      skipped: [...read.skipped, ...skipped],
      outputs: outputs.map((output, at) => Object.assign({}, output, { size: Buffer.byteLength(texts[at]!) })),
      warnings,
    };
  });
};

/** All that are required; of the optional ones those that can be read. */
const readAll = async (bench: Workbench, config: ArtifactConfig, plan: AssemblyPlan): Promise<ReadParts> => {
  const { compositionStrategy: strategy = "concat" } = config.metadata;
  const maxBytes = bench.limits().max_content_size_bytes;
  const read = await readParts(plan, bench.versions, { strategy, maxBytes });
  if (read.gone.length > 0) throw goneFault({ config, plan, gone: read.gone });
  return read;
};

const isThere = (outputs: readonly CheckedOutput[]): boolean => outputs.some(({ size }) => size !== null);

const skippedAs = (outputs: readonly CheckedOutput[]): Assembled => ({
  status: "skipped",
  contents: 0,
  components: [],
  skipped: [],
  outputs,
  warnings: [],
});

interface Done {
  readonly config: ArtifactConfig;
  readonly outputs: readonly CheckedOutput[];
  readonly components: readonly Component[];
  readonly digest: string;
}

/** The outputs are written: that this cannot be noted is told and undoes nothing. */
const remember = async (
  { assemblies, bench }: AssemblyPorts,
  { config, outputs, components, digest }: Done,
): Promise<readonly AssemblyWarning[]> => {
  try {
    await assemblies.remember({
      artifact_id: config.id,
      outputs: outputs.map(({ told }) => told),
      file: outputs[0]!.real,
      components: components.map(({ content_id, version_id }) => ({ content_id, version_id })),
      digest,
    });
    return [];
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (typeof code !== "string") throw error;
    const message = `It was written, and the host could not note that (${code}): list_artifacts does not know of it.`;
    return [{ code: "not_noted", pointer: "", message }];
  } finally {
    bench.changed(`config://artifact/${config.id}`);
  }
};
