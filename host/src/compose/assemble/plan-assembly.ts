/**
 * Which stored versions an artifact is made of, and which children it goes without. Nothing is generated here, and an optional
 * child never keeps the rest from being assembled. Pure.
 */
import { ComposeError } from "../compose-error.ts";
import type { ArtifactChild, ArtifactConfig } from "../configs/config-types.ts";
import type { Context } from "../configs/read-context.ts";
import { readStrategy } from "../storage/pick-versions.ts";
import type { StoredVersion } from "../storage/stored-version.ts";
import { orderChildren } from "./order-children.ts";
import { unmetCondition } from "./unmet-condition.ts";

export interface AssemblyPart {
  readonly content_id: string;
  readonly required: boolean;
  /** Oldest first; more than one for the strategy `all` alone. */
  readonly versions: readonly StoredVersion[];
}

export interface SkippedChild {
  readonly content_id: string;
  readonly reason: string;
}

export interface AssemblyPlan {
  /** In order. */
  readonly parts: readonly AssemblyPart[];
  readonly skipped: readonly SkippedChild[];
  /** Required, and without the version that is wanted. */
  readonly missing: readonly string[];
  /** Required, and without one that is approved. */
  readonly notApproved: readonly string[];
  /** Optional, skipped, and never generated. */
  readonly missingOptional: readonly string[];
}

export interface PlanInput {
  readonly context: Context;
  /** Oldest first; none: nothing is stored. */
  readonly versionsOf: (contentId: string) => readonly StoredVersion[];
}

type Found =
  | { readonly kind: "part"; readonly versions: readonly StoredVersion[] }
  | { readonly kind: "conditioned" | "missing" | "unapproved"; readonly reason: string };

/** As `readStrategy` takes it. */
const strategyOf = ({ retrievalStrategy = "latest", version = "" }: ArtifactChild): string =>
  retrievalStrategy === "version" ? `version:${version}` : retrievalStrategy;

const find = (child: ArtifactChild, { context, versionsOf }: PlanInput): Found => {
  const unmet = unmetCondition(child.conditions ?? {}, context);
  if (unmet !== null) return { kind: "conditioned", reason: `condition not met: ${unmet}` };
  const stored = versionsOf(child.id);
  if (stored.length === 0) return { kind: "missing", reason: "nothing is stored for it" };
  const mustBeApproved = child.review_required === true || child.retrievalStrategy === "approved_only";
  const pick = readStrategy(strategyOf(child));
  const versions = pick(mustBeApproved ? stored.filter(({ approved }) => approved) : stored);
  if (versions.length > 0) return { kind: "part", versions };
  if (mustBeApproved && (child.retrievalStrategy === "approved_only" || pick(stored).length > 0))
    return { kind: "unapproved", reason: "no version of it is approved" };
  return { kind: "missing", reason: `it has no version ${child.version ?? ""}` };
};

export const planAssembly = ({ content }: ArtifactConfig, input: PlanInput): AssemblyPlan => {
  const [parts, skipped] = [[] as AssemblyPart[], [] as SkippedChild[]];
  const lists = { missing: [] as string[], notApproved: [] as string[], missingOptional: [] as string[] };
  for (const child of orderChildren(content.children)) {
    const { id, required = true } = child;
    const found = find(child, input);
    if (found.kind === "part") parts.push({ content_id: id, required, versions: found.versions });
    else if (found.kind === "conditioned" || !required) {
      skipped.push({ content_id: id, reason: found.reason });
      if (found.kind === "missing") lists.missingOptional.push(id);
    } else (found.kind === "missing" ? lists.missing : lists.notApproved).push(id);
  }
  return { parts, skipped, ...lists };
};

/** Why a plan cannot be carried out; null: it can. */
export const assemblyFault = (plan: AssemblyPlan, { content }: ArtifactConfig): ComposeError | null => {
  const { missing, notApproved, parts } = plan;
  if (missing.length > 0) {
    const calls = missing.map((id) => `generate_content ${JSON.stringify({ content_config_id: id })}`);
    const suggestion = `Call ${calls.join("; ")}; or call assemble_artifact again with generate_missing true.`;
    return new ComposeError("content_missing", `Nothing is stored for: ${missing.join(", ")}.`, {
      missing_content: missing,
      available_content: parts.map(({ content_id: id }) => id),
      total_required: content.children.filter(({ required = true }) => required).length,
      suggestion,
      next: suggestion,
    });
  }
  if (notApproved.length === 0) return null;
  return new ComposeError("content_not_approved", `No version is approved of: ${notApproved.join(", ")}.`, {
    content_ids: notApproved,
    next: 'Set evolution.stage to "approved" in their configs with modify_config and save_config, and generate them again.',
  });
};
