/**
 * Blocks that say who may do what and what is kept of it. All are strict: a misspelt restriction that was ignored would
 * widen authority. Capability overlays are taken as they stand; the room that applies them reads them.
 */
import * as z from "zod/mini";
import { isCapabilityName, MAX_CAPABILITIES } from "../../capability-names.ts";
import { flag, integer, line, lines, MAX_SECONDS, path, port, url, withDefault } from "./basics.ts";

const riskTier = z.enum(["low", "medium", "high", "critical"]);
const json = z.record(z.string(), z.unknown());
const stringLists = withDefault(z.record(line, z.array(line)), {});
const capability = z
  .string()
  .check(z.refine(isCapabilityName, { error: "expected a name of 1 to 256 characters without control characters" }));
const capabilities = z
  .array(capability)
  .check(z.maxLength(MAX_CAPABILITIES, { error: `expected at most ${MAX_CAPABILITIES} names` }));
const capabilityLists = withDefault(z.record(line, capabilities), {});

export const hostSchema = z.strictObject({
  id: z.optional(line),
  name: z.optional(line),
  version: z.optional(line),
  kind: withDefault(line, "service"),
  environment: z.optional(line),
});

export const capabilitiesSchema = z.strictObject({
  declared: withDefault(capabilities, []),
  require: capabilityLists,
  providers: capabilityLists,
  groups: stringLists,
  /** By skill package: host variables that its scripts may see. */
  env: stringLists,
  roots: z.prefault(
    z.strictObject({
      list: z.optional(z.array(z.strictObject({ name: line, path }))),
      fromClients: withDefault(z.enum(["auto", "always", "never"]), "auto"),
      profile: withDefault(z.enum(["strict", "permissive"]), "strict"),
    }),
    {},
  ),
});

const approval = z.strictObject({
  rule: z.optional(line),
  approvers: z.optional(z.array(line)),
  count: z.optional(integer(1, 100)),
  four_eyes: z.optional(z.boolean()),
  ttl_s: z.optional(integer(1, MAX_SECONDS)),
});

const argumentTest = z.strictObject({
  path: z.string(),
  op: z.enum(["=", "!=", "<", "<=", ">", ">=", "in", "not_in", "matches", "exists", "under"]),
  value: z.optional(z.unknown()),
});

const rule = z.strictObject({
  id: line,
  match: z.strictObject({
    tools: z.optional(z.array(z.string())),
    principals: z.optional(z.array(z.string())),
    doors: z.optional(z.array(line)),
    operations: z.optional(z.array(z.enum(["call", "read", "prompt", "host-resources"]))),
    resources: z.optional(z.array(z.string())),
    arguments: z.optional(z.array(argumentTest)),
    annotations: z.optional(json),
    risk_at_least: z.optional(riskTier),
  }),
  effect: z.enum(["allow", "deny", "require_approval", "limit"]),
  approval: z.optional(approval),
  limit: z.optional(z.strictObject({ per: line, calls: integer(1), window_s: integer(1, MAX_SECONDS) })),
  reason: z.optional(z.string()),
  next: z.optional(z.string()),
});

const DECISIONS = [
  "allow",
  "deny",
  "requires_approval",
  "requires_escalation",
  "requires_more_evidence",
  "sandbox_only",
] as const;

const hostPolicy = z.strictObject({
  version: z.optional(line),
  allowed_capability_ids: z.optional(z.array(line)),
  block_capability_ids: z.optional(z.array(line)),
  max_risk_tier: z.optional(riskTier),
  block_patterns: z.optional(
    z.array(
      z.strictObject({
        capability_id: line,
        field: line,
        pattern: z.string(),
        decision: z.optional(z.enum(DECISIONS)),
        reason: z.optional(z.string()),
      }),
    ),
  ),
});

export const policySchema = z.strictObject({
  mode: withDefault(z.enum(["enforce", "audit"]), "enforce"),
  shipped: flag(true),
  host: z.optional(hostPolicy),
  rules: withDefault(z.array(rule), []),
  guardrails: withDefault(
    z.array(
      z.strictObject({
        id: line,
        tools: z.array(z.string()),
        deny_if: z.optional(z.array(argumentTest)),
        requires_human_for: z.optional(z.array(line)),
      }),
    ),
    [],
  ),
  capabilities: withDefault(z.record(line, json), {}),
  classifications: withDefault(z.array(line), ["public", "internal", "confidential", "restricted"]),
});

export const approvalsSchema = z.strictObject({
  waitSeconds: withDefault(integer(0, MAX_SECONDS), 50),
  runWaitSeconds: withDefault(integer(0, MAX_SECONDS), 300),
  approverKeys: lines,
});

export const evidenceSchema = z.strictObject({
  durability: withDefault(z.enum(["before-execution", "batched", "memory"]), "before-execution"),
  retention: z.prefault(z.strictObject({ days: withDefault(z.nullable(integer(1, 36_500)), null), holds: lines }), {}),
  redact: z.prefault(z.strictObject({ patterns: withDefault(z.array(z.string()), []) }), {}),
  retainPayloads: lines,
});

const publicKeys = withDefault(z.record(line, line), {});

export const authSchema = z.strictObject({
  principals: withDefault(
    z.record(
      line,
      z.strictObject({
        roles: lines,
        permissions: lines,
        clearance: z.optional(line),
        max_risk_tier: z.optional(riskTier),
      }),
    ),
    {},
  ),
  chpKeys: lines,
  tokens: publicKeys,
  delegates: publicKeys,
  mandatePrincipals: lines,
  oidc: z.optional(
    z.strictObject({
      issuer: url,
      audience: z.optional(line),
      jwksUri: z.optional(url),
      rolesClaim: z.optional(line),
      permissionsClaim: z.optional(line),
    }),
  ),
});

export const chpSchema = z.strictObject({
  mount: withDefault(
    z.string().check(z.regex(/^\/[A-Za-z0-9/_-]*$/, { error: 'expected a URL path such as "/chp"' })),
    "/chp",
  ),
  listen: z.optional(z.strictObject({ host: withDefault(line, "127.0.0.1"), port })),
  mandates: z.prefault(
    z.strictObject({
      principals: withDefault(z.enum(["pinned", "any"]), "pinned"),
      delegateBinding: withDefault(z.enum(["key", "name"]), "key"),
    }),
    {},
  ),
  fixtures: flag(false),
  publicDiscovery: lines,
});
