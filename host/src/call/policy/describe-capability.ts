/**
 * A capability as CHP describes one: valid against `capability-descriptor.schema.json`. Nothing in it but what is enforced,
 * and under `metadata.dcc` what the author of the tool says for those who choose one.
 */
import type { Autonomy, Capability } from "../../kernel/capability.ts";
import type { Descriptor } from "../../kernel/descriptor.ts";
import type { ListedTool } from "../../kernel/provider.ts";
import type { Lifecycle } from "../../kernel/stages.ts";
import { principalUri } from "../../kernel/subject.ts";

export interface DescribedTool {
  readonly capability: Capability;
  readonly tool: ListedTool;
  readonly provider: string;
  readonly lifecycle: Lifecycle;
  /** Environment capabilities that it requires, and those of them that the host does not declare. */
  readonly required: readonly string[];
  readonly missing: readonly string[];
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const some = <T>(key: string, items: readonly T[]): Readonly<Record<string, readonly T[]>> =>
  items.length === 0 ? {} : { [key]: items };

const isTexts = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((item) => typeof item === "string");

/** What authors of tools say for those who choose one. */
const CARRIED = [
  "timeoutHintSecs",
  "searchAliases",
  "incompleteSchema",
  "schemaHint",
  "next_tools",
  "side_effects",
  "call_examples",
  "produces",
  "requires",
  "intent",
  "tool_role",
  "groups",
] as const;

/** A skill package says part of it beside the definition. */
const saidOf = ({ value, carried }: ListedTool): Readonly<Record<string, unknown>> => {
  const meta = value["_meta"];
  const dcc = isObject(meta) ? meta["dcc"] : undefined;
  const said = { ...(isObject(dcc) ? dcc : {}), ...carried };
  return Object.fromEntries(CARRIED.filter((key) => said[key] !== undefined).map((key) => [key, said[key]]));
};

/** CHP has a list of texts for them; what is another shape stays with what the author says. */
const effectsOf = (said: Readonly<Record<string, unknown>>): Descriptor & { readonly effects: readonly string[] } => {
  const { side_effects: given, ...rest } = said;
  const effects = typeof given === "string" ? [given] : given;
  return isTexts(effects) ? { ...rest, effects } : { ...said, effects: [] };
};

const schema = (key: string, value: unknown): Descriptor => (isObject(value) ? { [key]: value } : {});

export const describeCapability = (described: DescribedTool): Descriptor => {
  const { capability, tool, provider } = described;
  const { title, inputSchema, outputSchema, annotations } = tool.value;
  const { effects, ...said } = effectsOf(saidOf(tool));
  const idempotent = isObject(annotations) && annotations["idempotentHint"] === true;
  return {
    id: capability.id,
    version: capability.version,
    capability_uri: capability.uri,
    description: capability.description,
    name: typeof title === "string" ? title : tool.name,
    provider,
    status: described.lifecycle.state === "deprecated" ? "deprecated" : capability.status,
    modes: capability.modes,
    ...schema("input_schema", inputSchema),
    ...schema("output_schema", outputSchema),
    idempotency: idempotent ? "optional" : "not_supported",
    ...some("side_effects", effects),
    risk: capability.risk,
    emits: capability.emits,
    policy: {
      risk_tier: capability.risk,
      auth_required: capability.authRequired,
      approval_required: capability.approvalRequired,
      allowed_actors: capability.allowedActors.map(principalUri),
      data_classification: capability.classification,
    },
    ...some("invariants", capability.invariants),
    ...(capability.timeoutMs === null ? {} : { timeout_s: capability.timeoutMs / 1_000 }),
    metadata: { ...metadataOf(described), ...(Object.keys(said).length === 0 ? {} : { dcc: said }) },
  };
};

const metadataOf = ({ capability, tool, lifecycle, required, missing }: DescribedTool): Descriptor => ({
  lifecycle: lifecycle.state,
  ...(lifecycle.reason === null ? {} : { lifecycle_reason: lifecycle.reason }),
  definition: tool.definition,
  ...some("required_permissions", capability.requiredPermissions),
  ...some("required_capabilities", required),
  ...some("missing_capabilities", missing),
  ...(capability.autonomy === null ? {} : { autonomy: autonomyOf(capability.autonomy) }),
  ...(capability.sunset === null ? {} : { sunset: new Date(capability.sunset).toISOString() }),
  ...(capability.strictOutput ? { strict_output: true } : {}),
  ...(capability.approval === null ? {} : { approval: approvalOf(capability.approval) }),
});

const autonomyOf = ({ tier, actionLimit, spendLimit, spendUnits }: Autonomy): Descriptor => ({
  ...(tier === null ? {} : { tier }),
  ...(actionLimit === null ? {} : { action_limit: actionLimit }),
  ...(spendLimit === null ? {} : { spend_limit: spendLimit, spend_units: Number(spendUnits ?? 1) }),
});

const approvalOf = ({ rule, approvers, count, fourEyes, ttlS }: NonNullable<Capability["approval"]>): Descriptor => ({
  rule,
  ...(approvers === null ? {} : { approvers: approvers.flat() }),
  count,
  four_eyes: fourEyes,
  ttl_s: ttlS,
});
