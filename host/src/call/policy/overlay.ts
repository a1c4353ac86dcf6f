/**
 * What `policy.capabilities` says about one tool, read member by member. What cannot be read is reported and never ignored:
 * a restriction that was misspelt must not open anything.
 */
import semver from "semver";
import type { Capability, Invariant } from "../../kernel/capability.ts";
import { RISK_TIERS, type RiskTier } from "../../kernel/risk-tier.ts";
import { readDemand, type WrittenDemand } from "./read-demand.ts";

export interface Overlay {
  readonly id?: string;
  readonly version?: string;
  readonly description?: string;
  readonly status?: Capability["status"];
  readonly emits?: readonly string[];
  readonly risk?: RiskTier;
  readonly risk_tier?: RiskTier;
  readonly auth_required?: boolean;
  readonly approval_required?: boolean;
  readonly allowed_actors?: readonly string[];
  readonly data_classification?: string;
  readonly required_permissions?: readonly string[];
  readonly autonomy?: WrittenAutonomy;
  readonly invariants?: readonly (Pick<Invariant, "id" | "kind"> & Partial<Invariant>)[];
  readonly sunset?: string;
  readonly strict_output?: boolean;
  readonly timeout_s?: number;
  readonly approval?: WrittenDemand;
  readonly enabled?: boolean;
  readonly reason?: string;
}

interface WrittenAutonomy {
  readonly tier?: string;
  readonly action_limit?: number | null;
  readonly spend_limit?: number | null;
  readonly spend_units?: number;
}

type Json = Readonly<Record<string, unknown>>;
type Field = readonly [expected: string, test: (value: unknown) => boolean];

const ID = /^[A-Za-z0-9_.:-]{1,256}$/;
const TIERS = ["automated", "supervised", "approval_required", "human_driven"];
const STATUSES = ["draft", "experimental", "certified", "deprecated"];
const ENFORCEMENTS = ["declarative", "host", "runtime"];
const FAILURES = ["deny", "warn", "degrade"];

const isText = (value: unknown): value is string => typeof value === "string" && value.trim() !== "";
const isTexts = (value: unknown): boolean => Array.isArray(value) && value.every(isText);
const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const oneOf = (values: readonly string[]): Field => [
  `one of ${values.join(", ")}`,
  (value) => values.includes(value as string),
];
const limit = (test: (value: number) => boolean, expected: string): Field => [
  expected,
  (value) => value === null || (typeof value === "number" && value >= 0 && test(value)),
];
const FLAG: Field = ["true or false", (value) => typeof value === "boolean"];
const TEXT: Field = ["a line of text", isText];
const TEXTS: Field = ["a list of texts", isTexts];

/** What is wrong with the members of an object; null: nothing. */
const faultOf = (
  written: unknown,
  fields: Readonly<Record<string, Field>>,
  needed: readonly string[] = [],
): string | null => {
  if (!isObject(written)) return "expected an object";
  for (const key of needed) if (written[key] === undefined) return `${key} is missing`;
  for (const [key, value] of Object.entries(written)) {
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    if (field === undefined) return `there is no member ${JSON.stringify(key.slice(0, 64))}`;
    if (!field[1](value)) return `${key}: expected ${field[0]}`;
  }
  return null;
};

const AUTONOMY: Readonly<Record<string, Field>> = {
  tier: oneOf(TIERS),
  action_limit: limit(Number.isSafeInteger, "a whole number from 0, or null"),
  spend_limit: limit(Number.isFinite, "a number from 0, or null"),
  spend_units: ["a number from 0", (value) => typeof value === "number" && Number.isFinite(value) && value >= 0],
};

const INVARIANT: Readonly<Record<string, Field>> = {
  id: TEXT,
  kind: TEXT,
  description: ["text", (value) => typeof value === "string"],
  enforcement: oneOf(ENFORCEMENTS),
  failure_behavior: oneOf(FAILURES),
  parameters: ["an object", isObject],
};

const FIELDS: Readonly<Record<string, Field>> = {
  id: ["an id of letters, digits and _ . : -", (value) => typeof value === "string" && ID.test(value)],
  version: ["a version such as 1.0.0", (value) => typeof value === "string" && semver.valid(value) === value],
  description: ["text", (value) => typeof value === "string"],
  status: oneOf(STATUSES),
  emits: TEXTS,
  risk: oneOf(RISK_TIERS),
  risk_tier: oneOf(RISK_TIERS),
  auth_required: FLAG,
  approval_required: FLAG,
  allowed_actors: TEXTS,
  data_classification: TEXT,
  required_permissions: TEXTS,
  autonomy: [
    "an object with tier, action_limit, spend_limit, spend_units",
    (value) => faultOf(value, AUTONOMY) === null,
  ],
  invariants: [
    "a list of objects with id, kind, enforcement, failure_behavior, parameters",
    (value) => Array.isArray(value) && value.every((each) => faultOf(each, INVARIANT, ["id", "kind"]) === null),
  ],
  sunset: ["a date such as 2027-01-31", (value) => typeof value === "string" && !Number.isNaN(Date.parse(value))],
  strict_output: FLAG,
  timeout_s: ["a number above 0", (value) => typeof value === "number" && value > 0 && value <= 2_147_483],
  approval: [
    "an object with rule, approvers, count, four_eyes, ttl_s",
    (value) => "demand" in readDemand(value, "approval"),
  ],
  enabled: FLAG,
  reason: ["text", (value) => typeof value === "string"],
};

export type ReadOverlay = { readonly overlay: Overlay } | { readonly fault: string };

export const readOverlay = (written: unknown): ReadOverlay => {
  const fault = faultOf(written, FIELDS);
  return fault === null ? { overlay: written as Overlay } : { fault };
};
