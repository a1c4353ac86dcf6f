/**
 * What an artifact says it depends on, beside its children: other artifacts, which must have been assembled, and contents, of
 * which a version must be stored. An entry of another form stops nothing; the check of the config tells of it.
 */
import { ComposeError } from "../compose-error.ts";
import type { ConfigWarning, Violation } from "../configs/config-reading.ts";
import type { ArtifactConfig } from "../configs/config-types.ts";
import { readDependency, type ArtifactDependency } from "../configs/read-dependency.ts";

/** What is worth a word about an artifact that was assembled all the same. */
export interface AssemblyWarning extends Violation {
  readonly code: ConfigWarning["code"] | "dependency_missing" | "fallback_used" | "not_noted";
}

export interface DependencyPorts {
  readonly isAssembled: (artifactId: string) => Promise<boolean>;
  readonly isStored: (contentId: string) => Promise<boolean>;
  /** More of them are refused. */
  readonly limit: number;
}

/** ComposeError `assembly_failed` for what is not there; resolves with what is worth a word. */
export const checkDependencies = async (
  { id: own, dependencies = [], content }: Pick<ArtifactConfig, "id" | "dependencies" | "content">,
  ports: DependencyPorts,
): Promise<readonly AssemblyWarning[]> => {
  if (dependencies.length > ports.limit)
    throw new ComposeError("too_many_components", `It depends on more than ${ports.limit} others.`, {
      count: dependencies.length,
      limit: ports.limit,
    });
  const children = new Set(content.children.map(({ id }) => id));
  const warnings: AssemblyWarning[] = [];
  const unmet: ArtifactDependency[] = [];
  for (const [at, given] of dependencies.entries()) {
    const dependency = readDependency(given);
    if (dependency === null || (dependency.type !== "artifact" && children.has(dependency.id))) continue;
    if (await isMet(dependency, ports)) continue;
    if (dependency.required) unmet.push(dependency);
    else warnings.push(absent(at, dependency));
  }
  if (unmet.length > 0) throw notThere(own, unmet);
  return warnings;
};

const isMet = async ({ id, type }: ArtifactDependency, { isAssembled, isStored }: DependencyPorts): Promise<boolean> =>
  (type !== "content" && (await isAssembled(id))) || (type !== "artifact" && (await isStored(id)));

const notThere = (own: string, unmet: readonly ArtifactDependency[]): ComposeError => {
  const names = unmet.map(({ id }) => id).join(", ");
  if (unmet.some(({ id, type }) => id === own && type !== "content"))
    return new ComposeError("assembly_failed", `The artifact "${own}" depends on itself.`, {
      dependencies: unmet.map(({ id, type }) => ({ id, type })),
      next: `modify_config ${JSON.stringify({ config_id: own, updates: { dependencies: [] } })}`,
    });
  return new ComposeError("assembly_failed", `It depends on what is not there yet: ${names}.`, {
    dependencies: unmet.map(({ id, type }) => ({ id, type })),
    next: unmet.map(({ id, type }) => callFor(id, type)).join("; "),
  });
};

const callFor = (id: string, type: ArtifactDependency["type"]): string =>
  type === "content"
    ? `generate_content ${JSON.stringify({ content_config_id: id })}`
    : `assemble_artifact ${JSON.stringify({ artifact_config_id: id })}`;

const absent = (at: number, { id }: ArtifactDependency): AssemblyWarning => ({
  code: "dependency_missing",
  pointer: `/dependencies/${at}`,
  message: `"${id}" is not there yet, and it is optional.`,
});
