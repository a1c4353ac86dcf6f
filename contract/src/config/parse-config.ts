/**
 * Reads a configuration file, whole and once, and reports everything it finds. Never throws; resolves no paths, no secrets
 * and no names on disk.
 */
import * as z from "zod/mini";
import { checkEntries } from "./check-entries.ts";
import type { Config, ParsedConfig } from "./config.ts";
import { describeExpectation, describeIssues } from "./describe-issues.ts";
import { findMisplacedReferences } from "./find-misplaced-references.ts";
import type { Finding } from "./finding.ts";
import { freeze } from "./freeze.ts";
import { readForeignKeys, type ForeignReading } from "./read-foreign-keys.ts";
import { readObject } from "./read-object.ts";
import { configSchema } from "./schema/config-schema.ts";
import { shapeEntry } from "./shape-entry.ts";
import { walkKeys } from "./walk-keys.ts";

export type Dialect = "bailiwick" | "nimblebrain";

export interface ConfigReading {
  /** Null when there are errors. */
  readonly config: Config | null;
  /** The start is refused. */
  readonly errors: readonly Finding[];
  /** The start goes on, and a person should look. */
  readonly warnings: readonly Finding[];
  /** Understood, and of no effect. */
  readonly notes: readonly Finding[];
}

const failed = (errors: readonly Finding[]): ConfigReading => ({ config: null, errors, warnings: [], notes: [] });

export const parseConfig = (text: string, options: { readonly dialect: Dialect }): ConfigReading => {
  const { value, faults } = readObject(text);
  if (value === null) return failed(faults);
  return readValue(options.dialect === "nimblebrain" ? readForeignKeys(value) : { value, notes: [], errors: [] });
};

const readValue = ({ value, notes, errors: foreignErrors }: ForeignReading): ConfigReading => {
  const keys = walkKeys(configSchema, value);
  const parsed = z.safeParse(configSchema, value, { error: describeExpectation });
  const entries = checkEntries(value["bundles"]);
  const errors = [
    ...foreignErrors,
    ...(parsed.success ? [] : describeIssues(value, parsed.error.issues)),
    ...keys.refused,
    ...entries.errors,
  ];
  const warnings = [...keys.ignored, ...entries.warnings, ...findMisplacedReferences(value)];
  const config = parsed.success && errors.length === 0 ? shapeConfig(parsed.data, keys.given) : null;
  return { config, errors, warnings, notes };
};

const shapeConfig = (parsed: ParsedConfig, given: readonly string[]): Config =>
  freeze({ ...parsed, bundles: parsed.bundles.map((entry) => shapeEntry(entry, parsed.sandbox)), given });
