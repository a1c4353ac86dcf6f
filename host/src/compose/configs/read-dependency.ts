/** One entry of an artifact's `dependencies`: an id, or `{id, type?, required?}`. Pure. */
import { isConfigId } from "./config-id.ts";

export interface ArtifactDependency {
  readonly id: string;
  /** Null: either will do. */
  readonly type: "artifact" | "content" | null;
  readonly required: boolean;
}

/** Null: it is of another form, and nothing reads it. */
export const readDependency = (given: unknown): ArtifactDependency | null => {
  const row = typeof given === "string" ? { id: given } : given;
  if (typeof row !== "object" || row === null) return null;
  const { id, type = null, required = true } = row as Readonly<Record<string, unknown>>;
  if (typeof id !== "string" || !isConfigId(id) || typeof required !== "boolean") return null;
  return type === null || type === "artifact" || type === "content" ? { id, type, required } : null;
};
