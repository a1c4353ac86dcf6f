/**
 * What an artifact says it depends on, beside its children: other artifacts, which must have been assembled, and contents, of
 * which a version must be stored. An entry is an id, or `{id, type?, required?}`; others are told and stop nothing.
 */
import { ComposeError } from "../compose-error.ts";
import { isConfigId } from "../configs/config-id.ts";
import type { ConfigWarning, Violation } from "../configs/config-reading.ts";
import type { ArtifactConfig } from "../configs/config-types.ts";

/** What is worth a word about an artifact that was assembled all the same. */
export interface AssemblyWarning extends Violation {
  readonly code: ConfigWarning["code"] | "dependency_missing" | "not_noted";
}

interface Dependency {
  readonly id: string;
  /** Null: either will do. */
  readonly type: "artifact" | "content" | null;
  readonly required: boolean;
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
  const unmet: Dependency[] = [];
  for (const [at, given] of dependencies.entries()) {
    const dependency = read(given);
    if (dependency === null) warnings.push(unread(at));
    else if (dependency.type !== "artifact" && children.has(dependency.id)) continue;
    else if (!(await isMet(dependency, ports)))
      if (dependency.required) unmet.push(dependency);
      else warnings.push(absent(at, dependency));
  }
  if (unmet.length > 0) throw notThere(own, unmet);
  return warnings;
};

const read = (given: unknown): Dependency | null => {
  const row = typeof given === "string" ? { id: given } : given;
  if (typeof row !== "object" || row === null) return null;
  const { id, type = null, required = true } = row as Readonly<Record<string, unknown>>;
  if (typeof id !== "string" || !isConfigId(id) || typeof required !== "boolean") return null;
  return type === null || type === "artifact" || type === "content" ? { id, type, required } : null;
};

const isMet = async ({ id, type }: Dependency, { isAssembled, isStored }: DependencyPorts): Promise<boolean> =>
  (type !== "content" && (await isAssembled(id))) || (type !== "artifact" && (await isStored(id)));

const notThere = (own: string, unmet: readonly Dependency[]): ComposeError => {
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

const callFor = (id: string, type: Dependency["type"]): string =>
  type === "content"
    ? `generate_content ${JSON.stringify({ content_config_id: id })}`
    : `assemble_artifact ${JSON.stringify({ artifact_config_id: id })}`;

const unread = (at: number): AssemblyWarning => ({
  code: "unsupported_field",
  pointer: `/dependencies/${at}`,
  message: 'A dependency is an id, or {"id", "type": "artifact" or "content", "required"}; nothing reads another.',
});

const absent = (at: number, { id }: Dependency): AssemblyWarning => ({
  code: "dependency_missing",
  pointer: `/dependencies/${at}`,
  message: `"${id}" is not there yet, and it is optional.`,
});
