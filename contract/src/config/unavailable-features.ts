/**
 * Keys that are read and checked and whose feature this host does not have yet. Told for what the file sets, so that
 * nothing configured is silently nothing. A part that gets its feature is taken out of the table here.
 */
import type { Config } from "./config.ts";
import { type Finding, pathOf } from "./finding.ts";
import { valueAt } from "./value-at.ts";

export interface UnavailableFeature extends Finding {
  /** Starting without it would widen authority or lose data: the host must not start. */
  readonly blocking: boolean;
}

interface Row {
  readonly keys: RegExp;
  readonly feature: string;
  readonly blocking?: boolean;
  /** False: what the file says is what happens anyway. */
  readonly when?: (value: unknown) => boolean;
}

const isFalse = (value: unknown): boolean => value === false;
const is =
  (expected: unknown) =>
  (value: unknown): boolean =>
    value === expected;
/** The first row that fits a key speaks for it. */
const ROWS: readonly Row[] = [
  { keys: /^\/storage\/type$/, feature: "the PostgreSQL store", blocking: true, when: is("postgres") },
  { keys: /^\/features\/mcpServer$/, feature: "switching the MCP endpoint off", blocking: true, when: isFalse },
  { keys: /^\/http\/sandbox(?:Port|Origin)$/, feature: "MCP Apps" },
  { keys: /^\/logging\/level$/, feature: "log levels" },
  { keys: /^\/logging\/(?:dir|retentionDays)$/, feature: "log files" },
];

export const unavailableFeatures = (config: Config): readonly UnavailableFeature[] =>
  config.given.flatMap((pointer) => {
    const value = valueAt(config, pathOf(pointer));
    const row = ROWS.find(({ keys, when }) => keys.test(pointer) && (when?.(value) ?? true));
    if (!row) return [];
    const blocking = row.blocking ?? false;
    const next = blocking ? "the host does not start with this key; take it out" : "this key has no effect";
    return [{ pointer, message: `not available yet: ${row.feature}; ${next}`, blocking }];
  });
