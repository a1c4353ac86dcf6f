/** What an artifact depends on, in the order of assembly, and whether it is there. Pure: all values are those that are given. */
import type { ArtifactChild, ArtifactConfig } from "../configs/config-types.ts";
import { savedPathOf } from "../configs/saved-path-of.ts";
import type { StoredVersion } from "../storage/stored-version.ts";
import { orderChildren } from "./order-children.ts";
import { planAssembly } from "./plan-assembly.ts";

export type DependencyStatus = "ready" | "missing" | "missing_config" | "unknown";

export interface Dependency {
  readonly content_id: string;
  readonly path: string;
  readonly required: boolean;
  readonly order: number | null;
  readonly status: DependencyStatus;
  readonly retrieval_strategy: string;
  readonly metadata?: { readonly last_generated: string | null; readonly versions_available: number };
}

export interface Trace {
  readonly status: "ready" | "incomplete" | "missing_config" | "unknown";
  readonly total_dependencies: number;
  readonly ready: number;
  readonly missing: number;
  readonly dependencies: readonly Dependency[];
  readonly assembly_order: readonly string[];
  readonly missing_content_ids: readonly string[] | null;
}

export interface TraceInput {
  readonly checkStatus: boolean;
  readonly showMetadata: boolean;
  readonly versionsOf: (contentId: string) => readonly StoredVersion[];
  readonly hasConfig: (contentId: string) => boolean;
}

export const traceDependencies = (artifact: ArtifactConfig, input: TraceInput): Trace => {
  const children = orderChildren(artifact.content.children);
  const dependencies = children.map((child) => dependencyOf(child, artifact, input));
  const missing = dependencies.filter(({ status }) => status === "missing" || status === "missing_config");
  return {
    status: overall(dependencies),
    total_dependencies: dependencies.length,
    ready: dependencies.filter(({ status }) => status === "ready").length,
    missing: missing.length,
    dependencies,
    assembly_order: children.map(({ id }) => id),
    missing_content_ids: missing.length === 0 ? null : [...new Set(missing.map(({ content_id: id }) => id))],
  };
};

const dependencyOf = (child: ArtifactChild, artifact: ArtifactConfig, input: TraceInput): Dependency => {
  const { id, required = true, order = null, retrievalStrategy = "latest" } = child;
  const versions = input.versionsOf(id);
  return {
    content_id: id,
    // Where its config is loaded from, whatever the child says.
    path: savedPathOf("content", id),
    required,
    order,
    status: input.checkStatus ? statusOf(child, artifact, input) : "unknown",
    retrieval_strategy: retrievalStrategy,
    ...(input.showMetadata
      ? { metadata: { last_generated: versions.at(-1)?.timestamp ?? null, versions_available: versions.length } }
      : {}),
  };
};

/** Asked of the plan that assembly would follow; conditions are the caller's to meet. */
const statusOf = (child: ArtifactChild, artifact: ArtifactConfig, input: TraceInput): DependencyStatus => {
  const { conditions: _, ...rest } = child;
  const alone = { ...artifact, content: { children: [rest] } };
  const { parts } = planAssembly(alone, { context: {}, versionsOf: input.versionsOf });
  if (parts.length > 0) return "ready";
  return input.hasConfig(child.id) ? "missing" : "missing_config";
};

const overall = (dependencies: readonly Dependency[]): Trace["status"] => {
  const required = new Set(dependencies.filter((each) => each.required).map(({ status }) => status));
  if (dependencies.some(({ status }) => status === "unknown")) return "unknown";
  if (required.has("missing_config")) return "missing_config";
  return required.has("missing") ? "incomplete" : "ready";
};
