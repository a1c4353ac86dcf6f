/**
 * What the bench was asked for, parsed once.
 */
import { parseArgs } from "node:util";

export interface Options {
  /** Ids of subjects and sections; null: everything. */
  readonly only: ReadonlySet<string> | null;
  readonly quick: boolean;
  readonly json: boolean;
  readonly help: boolean;
}

export const usage = (
  known: readonly string[],
): string => `Usage: npm run bench -- [--quick] [--only <id>[,<id>…]] [--json]

  --quick   short windows and a small log: a first look, not a result
  --only    only these: ${known.join(", ")}
  --json    the findings as JSON on stdout instead of tables

docs/benchmarks.md is written by a whole run only (no --quick, no --only).`;

export const parseOptions = (args: readonly string[], known: readonly string[]): Options => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      only: { type: "string", multiple: true },
      quick: { type: "boolean", default: false },
      json: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  const ids = values.only?.flatMap((value) => value.split(",")) ?? null;
  const unknown = ids?.find((id) => !known.includes(id));
  if (unknown !== undefined) throw new Error(`--only ${unknown}: there is no such part; use ${known.join(", ")}`);
  return { only: ids === null ? null : new Set(ids), quick: values.quick, json: values.json, help: values.help };
};
