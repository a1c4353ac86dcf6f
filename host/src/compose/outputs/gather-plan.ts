/** The plan of an assembly over what is stored, and, where that is wanted, over what was generated for it first. */
import { assemblyFault, planAssembly, type AssemblyPlan } from "../assemble/plan-assembly.ts";
import { ComposeError } from "../compose-error.ts";
import type { ArtifactConfig } from "../configs/config-types.ts";
import type { Context } from "../configs/read-context.ts";
import type { StoredVersion } from "../storage/stored-version.ts";
import type { ComposeCall, Workbench } from "../workbench.ts";
import { makeMissing, type Made, type Wanted } from "./make-missing.ts";
import { missingFault } from "./missing-fault.ts";

export interface PlanOrder {
  readonly config: ArtifactConfig;
  readonly context: Context;
  readonly generateMissing: boolean;
  readonly call: ComposeCall;
}

type Ports = Pick<Workbench, "versions" | "limits" | "callOn">;
/** Of one that nobody needs and the system does not let the host read. */
interface Unreadable {
  readonly reason: string;
}
type Stored = ReadonlyMap<string, readonly StoredVersion[] | Unreadable>;

/** Can be carried out. ComposeError `content_missing`, `content_not_approved`, `too_many_components`. */
export const gatherPlan = async (bench: Ports, order: PlanOrder): Promise<AssemblyPlan> => {
  const { config, context, call } = order;
  const limit = bench.limits().max_artifact_components;
  const stored = await readStored(bench, config);
  const first = plan(config, context, stored);
  refuseMany(countOf(first, order.generateMissing), limit);
  const wanted = order.generateMissing ? wantedOf(first, config, stored) : [];
  if (wanted.length === 0) return checked(first, config, NOTHING);
  // What can never be generated is told before anything is.
  const lacking = first.missing.filter((id) => wanted.every(({ content_id: other }) => other !== id));
  if (lacking.length > 0 || first.notApproved.length > 0)
    return checked({ ...first, missing: lacking }, config, NOTHING);
  const made = await makeMissing(bench, { wanted, context, call });
  const second = plan(config, context, await withMade(bench, stored, made));
  refuseMany(countOf(second, false), limit);
  return tellFailed(checked(second, config, made), made);
};

const NOTHING: Made = { versions: new Map(), failed: [] };

const plan = (config: ArtifactConfig, context: Context, stored: Stored): AssemblyPlan => {
  const found = planAssembly(config, { context, versionsOf: (id) => listOf(stored.get(id)) });
  const skipped = found.skipped.map((child) => {
    const { reason = child.reason } = unreadable(stored.get(child.content_id));
    return child.reason.startsWith("condition") ? child : { content_id: child.content_id, reason };
  });
  return { ...found, skipped };
};

const listOf = (found: readonly StoredVersion[] | Unreadable | undefined): readonly StoredVersion[] =>
  found === undefined || "reason" in found ? [] : found;

const unreadable = (found: readonly StoredVersion[] | Unreadable | undefined): Partial<Unreadable> =>
  found !== undefined && "reason" in found ? found : {};

const readStored = async ({ versions }: Ports, { content }: ArtifactConfig): Promise<Stored> => {
  const ids = [...new Set(content.children.map(({ id }) => id))];
  const needed = new Set(content.children.filter(({ required = true }) => required).map(({ id }) => id));
  const read = async (id: string): Promise<readonly StoredVersion[] | Unreadable> => {
    try {
      return await versions.versionsOf(id);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (needed.has(id) || typeof code !== "string") throw error;
      return { reason: `what is stored of it cannot be read (${code})` };
    }
  };
  return new Map(await Promise.all(ids.map(async (id) => [id, await read(id)] as const)));
};

/** Just the version that was made here counts, and no other that came meanwhile: that may be of another context. */
const withMade = async ({ versions }: Ports, stored: Stored, made: Made): Promise<Stored> => {
  const rows = [...made.versions].map(async ([id, version]) => {
    const found = await versions.versionsOf(id);
    return [id, found.filter(({ version_id: each }) => each === version)] as const;
  });
  return new Map([...stored, ...(await Promise.all(rows))]);
};

/** Nothing is stored of them, and a version that a child is pinned to would not come by generating. */
const wantedOf = (first: AssemblyPlan, { content }: ArtifactConfig, stored: Stored): readonly Wanted[] => {
  const required = new Set(first.missing);
  const missing = new Set([...first.missing, ...first.missingOptional]);
  const ids = content.children
    .filter(({ id, retrievalStrategy }) => missing.has(id) && retrievalStrategy !== "version")
    .map(({ id }) => id);
  return [...new Set(ids)]
    .filter((id) => unreadable(stored.get(id)).reason === undefined && listOf(stored.get(id)).length === 0)
    .map((id) => ({ content_id: id, required: required.has(id) }));
};

/** Each version is a component, with the strategy `all` too. */
const countOf = ({ parts, missing, notApproved, missingOptional }: AssemblyPlan, withOptional: boolean): number =>
  parts.reduce((sum, { versions }) => sum + versions.length, 0) +
  missing.length +
  notApproved.length +
  (withOptional ? missingOptional.length : 0);

const refuseMany = (count: number, limit: number): void => {
  if (count <= limit) return;
  throw new ComposeError("too_many_components", `It has ${count} components; at most ${limit} are allowed.`, {
    count,
    limit,
    next: "Take children out of the artifact, or versions of those with the retrievalStrategy all by cleanup_ephemeral.",
  });
};

const checked = (found: AssemblyPlan, config: ArtifactConfig, { failed }: Made): AssemblyPlan => {
  const fault = assemblyFault(found, config);
  if (fault === null) return found;
  throw fault.code === "content_missing" ? missingFault(fault, { config, missing: found.missing, failed }) : fault;
};

const tellFailed = (found: AssemblyPlan, { failed }: Made): AssemblyPlan => {
  const causes = new Map(failed.map((cause) => [cause.content_id, cause]));
  const skipped = found.skipped.map((child) => {
    const cause = child.reason.startsWith("condition") ? undefined : causes.get(child.content_id);
    return cause === undefined
      ? child
      : { content_id: child.content_id, reason: `it could not be generated: ${cause.code}: ${cause.message}` };
  });
  return { ...found, skipped };
};
