/**
 * Reads a `workspace.json`, whole and once, by the rules of the host's own file, and reports everything it finds. Never
 * throws; resolves no paths, no secrets and no names on disk.
 */
import * as z from "zod/mini";
import { checkEntries } from "../config/check-entries.ts";
import type { Config } from "../config/config.ts";
import { describeExpectation, describeIssues } from "../config/describe-issues.ts";
import { findMisplacedReferences } from "../config/find-misplaced-references.ts";
import type { Finding } from "../config/finding.ts";
import { freeze } from "../config/freeze.ts";
import { readObject } from "../config/read-object.ts";
import { shapeEntry } from "../config/shape-entry.ts";
import { walkKeys } from "../config/walk-keys.ts";
import type { WorkspaceConfig } from "./workspace-config.ts";
import { workspaceSchema } from "./workspace-schema.ts";

export interface WorkspaceReading {
  /** Null when there are errors. */
  readonly workspace: WorkspaceConfig | null;
  /** It cannot be used. */
  readonly errors: readonly Finding[];
  /** It can, and a person should look. */
  readonly warnings: readonly Finding[];
}

/** `host` is the host's own configuration: its sandbox is the default of every entry. */
export const parseWorkspace = (text: string, host: Pick<Config, "sandbox">): WorkspaceReading => {
  const { value, faults } = readObject(text);
  return value === null ? { workspace: null, errors: faults, warnings: [] } : readValue(value, host);
};

const readValue = (value: Readonly<Record<string, unknown>>, host: Pick<Config, "sandbox">): WorkspaceReading => {
  const keys = walkKeys(workspaceSchema, value);
  const parsed = z.safeParse(workspaceSchema, value, { error: describeExpectation });
  const entries = checkEntries(value["bundles"]);
  const errors = [
    ...(parsed.success ? [] : describeIssues(value, parsed.error.issues)),
    ...keys.refused,
    ...entries.errors,
  ];
  const warnings = [...keys.ignored, ...entries.warnings, ...findMisplacedReferences(value)];
  const workspace = parsed.success && errors.length === 0 ? shape(parsed.data, host, keys.given) : null;
  return { workspace, errors, warnings };
};

const shape = (
  parsed: z.output<typeof workspaceSchema>,
  { sandbox }: Pick<Config, "sandbox">,
  given: readonly string[],
): WorkspaceConfig =>
  freeze({
    ...parsed,
    members: parsed.members.map((member) => member.replace("://", ":")),
    bundles: parsed.bundles.map((entry) => shapeEntry(entry, sandbox)),
    given,
  });
