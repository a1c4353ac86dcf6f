/**
 * One tool as `capabilities://tools` shows it, written once: what stands before its typical time and what after it, both
 * also as they stand inside a JSON string. Schemas are the text that `tools/list` has.
 */
import type { ListedTool } from "../../kernel/provider.ts";
import { rawJson, type RawJson } from "../../kernel/raw-json.ts";
import type { RiskTier } from "../../kernel/risk-tier.ts";
import { memberOf, sliceJson } from "../../kernel/scan-json.ts";
import type { Lifecycle } from "../../kernel/stages.ts";
import { escapeJson } from "./document-text.ts";
import type { ToolCategory } from "./tool-categories.ts";

/** What is known of a tool beside its definition, by whoever made it. */
export interface ToolGuide {
  readonly examples: readonly { readonly input?: object; readonly description: string }[];
  readonly common_errors: readonly { readonly code: string; readonly message: string }[];
  /** Until enough calls were made: `500-2000`, `<100`. */
  readonly typical_ms: string;
}

export interface DescribedTool {
  /** As the endpoint lists it. */
  readonly name: string;
  /** What its calls are counted under, on every endpoint. */
  readonly flatName: string;
  readonly category: ToolCategory;
  readonly provider: string;
  readonly tool: ListedTool;
  readonly version: string;
  readonly lifecycle: Pick<Lifecycle, "state" | "reason" | "next">;
  readonly required: readonly string[];
  readonly missing: readonly string[];
  readonly risk: RiskTier;
  readonly approvalRequired: boolean;
  /** The enforced limit; null: nothing ends it but its caller. */
  readonly timeoutMs: number | null;
  /** Absent: nobody wrote one, as for the tools of bundles. */
  readonly guide?: ToolGuide;
}

export interface ToolEntry {
  readonly name: string;
  readonly flatName: string;
  readonly category: ToolCategory;
  readonly provider: string;
  /** Of the guide, or that nobody knows. */
  readonly typical: string;
  /** Up to the typical time, and from behind it. */
  readonly head: RawJson;
  readonly tail: RawJson;
  readonly escapedHead: string;
  readonly escapedTail: string;
}

const UNKNOWN = "unknown";
const NO_LIMIT = "none";

export const toolEntry = (described: DescribedTool): ToolEntry => {
  const { name, flatName, category, provider, guide } = described;
  const head = headOf(described);
  const tail = tailOf(described);
  return {
    name,
    flatName,
    category,
    provider,
    typical: guide?.typical_ms ?? UNKNOWN,
    head,
    tail,
    escapedHead: escapeJson(head),
    escapedTail: escapeJson(tail),
  };
};

const headOf = ({ name, category, tool, version, guide }: DescribedTool): RawJson => {
  const { description } = tool.value;
  const said = { name, category, description: typeof description === "string" ? description : "", version };
  return rawJson(
    `${JSON.stringify(said).slice(0, -1)},"input_schema":${partOf(tool, "inputSchema")}` +
      `,"output_schema":${partOf(tool, "outputSchema")},"examples":${JSON.stringify(guide?.examples ?? [])}` +
      `,"common_errors":${JSON.stringify(guide?.common_errors ?? [])},"performance":{"typical_ms":`,
  );
};

const tailOf = (described: DescribedTool): RawJson => {
  const { provider, tool, lifecycle, required, missing, risk, approvalRequired, timeoutMs } = described;
  const { title } = tool.value;
  const named = { provider, ...(typeof title === "string" ? { title } : {}) };
  const { state, reason, next } = lifecycle;
  const governed = {
    lifecycle: { state, ...(reason === null ? {} : { reason }), ...(next === null ? {} : { next }) },
    required_capabilities: required,
    missing_capabilities: missing,
    risk_tier: risk,
    approval_required: approvalRequired,
  };
  return rawJson(
    `,"timeout_ms":"${timeoutMs ?? NO_LIMIT}"},${JSON.stringify(named).slice(1, -1)}` +
      `,"annotations":${partOf(tool, "annotations")},${JSON.stringify(governed).slice(1)}`,
  );
};

/** A tool that says nothing of it has an empty object there: the format knows no other way. */
const partOf = ({ json }: ListedTool, key: string): string => {
  const member = memberOf(json, key);
  return member === null ? "{}" : sliceJson(json, member);
};
