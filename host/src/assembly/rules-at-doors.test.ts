/**
 * The same call gets the same verdict at every door, by the same rule, with a next step and a record of it; and nobody is asked
 * to approve what is refused anyway.
 */
import { expect, it } from "vitest";
import { makeGovernedPlace, startGoverned, type Governed, type GovernedDoor } from "./governed-host-for-tests.ts";

interface Case {
  readonly tool: string;
  readonly args?: object;
  /** The kind of the refusal; null: it runs. */
  readonly kind: string | null;
  readonly rule?: string;
  readonly type: "execution_denied" | "execution_skipped" | "execution_completed";
}

const denied = (tool: string, kind: string, rule?: string, args: object = {}): Case => ({
  tool,
  args,
  kind,
  ...(rule !== undefined && { rule }),
  type: "execution_denied",
});

const CASES: readonly Case[] = [
  { tool: "ops__do", args: { n: "a", amount: 10 }, kind: null, type: "execution_completed" },
  denied("ops__do", "policy_denied", "no-large", { amount: 101 }),
  denied("ops__do", "policy_denied", "no-large", { n: "amount is missing" }),
  denied("ops__do", "policy_denied", "no-words", { amount: 1, n: "please DROP  it" }),
  denied("ops__do", "approval_pending", "ask-fifty", { n: "a", amount: 51 }),
  denied("ops__actors", "not_visible"),
  denied("ops__permission", "permission_missing"),
  denied("ops__classified", "policy_denied"),
  denied("ops__unclassified", "policy_denied"),
  denied("ops__wipe", "approval_pending", "shipped:risk"),
  denied("ops__critical", "policy_denied", "max_risk_tier:high"),
  denied("ops__blocked", "policy_denied"),
  denied("ops__escalated", "escalation_required", undefined, { n: "up" }),
  denied("ops__proven", "more_evidence_required", undefined, { n: "why" }),
  denied("ops__sandboxed", "policy_denied", undefined, { n: "box" }),
  denied("ops__invariant", "invariant_failed"),
  denied("ops__strict", "invalid_input"),
  denied("ops__strict", "invalid_input", undefined, { n: 7 }),
  denied("ops__guarded", "guardrail_blocked", undefined, { n: "forbidden" }),
  denied("ops__human", "guardrail_blocked"),
  denied("ops__none", "unknown_tool"),
  denied("none", "unknown_tool"),
  { tool: "ops__off", kind: "disabled", type: "execution_skipped" },
  { tool: "ops__sunset", kind: "disabled", type: "execution_skipped" },
];

/** Where nothing but the approval itself may be said of it. */
const ASKED = new Set(CASES.filter(({ kind }) => kind === "approval_pending").map(({ tool }) => tool));
const TOOLS = [...new Set(CASES.map(({ tool }) => tool).filter((tool) => /^ops__(?!none)/.test(tool)))];
const amount = (value: number) => [{ path: "/amount", op: ">", value }];
const pattern = (tool: string, decision: string) => ({
  capability_id: `ops__${tool}`,
  field: "n",
  pattern: ".",
  decision,
});

const DOORS = ["MCP legacy", "MCP modern", "MCP of the provider", "REST", "CHP", "program"];

const SETTINGS = {
  policy: {
    host: {
      version: "drill",
      max_risk_tier: "high",
      block_capability_ids: ["ops__blocked"],
      block_patterns: [
        pattern("escalated", "requires_escalation"),
        pattern("proven", "requires_more_evidence"),
        pattern("sandboxed", "sandbox_only"),
      ],
    },
    rules: [
      { id: "no-large", match: { tools: ["ops__do"], arguments: amount(100) }, effect: "deny", reason: "Too much" },
      {
        id: "no-words",
        match: { tools: ["ops__do"], arguments: [{ path: "/n", op: "matches", value: "drop +it" }, ...amount(0)] },
        effect: "deny",
      },
      { id: "ask-fifty", match: { tools: ["ops__do"], arguments: amount(50) }, effect: "require_approval" },
    ],
    guardrails: [
      { id: "words", tools: ["ops__guarded"], deny_if: [{ path: "/n", op: "=", value: "forbidden" }] },
      { id: "people", tools: ["ops__human"], requires_human_for: ["ops__human"] },
    ],
    capabilities: Object.fromEntries(
      Object.entries({
        actors: { allowed_actors: ["agent://somebody"] },
        permission: { required_permissions: ["service:dispatch"] },
        classified: { data_classification: "restricted" },
        unclassified: { data_classification: "no-such-class" },
        critical: { risk_tier: "critical" },
        invariant: {
          invariants: [
            { id: "has-n", kind: "required_payload_fields", enforcement: "host", parameters: { fields: ["n"] } },
          ],
        },
        off: { enabled: false, reason: "Not this week." },
        sunset: { status: "deprecated", sunset: "2020-01-01" },
        ...Object.fromEntries(
          ["blocked", "escalated", "proven", "sandboxed", "strict", "guarded", "human"].map((t) => [t, {}]),
        ),
      }).map(([tool, overlay]) => [`ops__${tool}`, { approval_required: true, ...overlay }]),
    ),
  },
};

/** What a door said of a case, and what evidence says of it. */
const judge = async ({ place }: Governed, door: GovernedDoor, { tool, args }: Case): Promise<object> => {
  const [effects, events] = [place.effects().length, place.events().length];
  const said = await door.call(tool, args);
  const ended = place.events().slice(events).at(-1)!;
  const { kind = null, matched_rule: rule } = (ended.denial?.["details"] ?? {}) as Record<string, string | null>;
  return {
    tool,
    args: args ?? {},
    said: said.refused,
    rule: said.rule,
    recorded: [ended.event_type, kind, rule ?? null],
    done: place.effects().slice(effects),
    isFailure: said.status >= 500,
    hasNext: /\w.*[.!?`]$/.test(said.next),
    isEvidence: said.evidenceId === ended.event_id,
  };
};

const expected = ({ tool, args = {}, kind, rule, type }: Case): object => ({
  tool,
  args,
  said: kind,
  rule: rule ?? (kind === null ? null : expect.toSatisfy((each) => each === null || typeof each === "string")),
  recorded: [type, kind, rule ?? expect.toSatisfy((each) => each === null || typeof each === "string")],
  done: kind === null ? ["do a"] : [],
  isFailure: false,
  hasNext: kind !== null,
  isEvidence: kind === null ? expect.any(Boolean) : true,
});

it.each(DOORS)("at the door %s each call is judged as everywhere, and nobody is asked in vain", async (name) => {
  const tools = TOOLS.map((tool) => tool.slice("ops__".length));
  const governed = await startGoverned(makeGovernedPlace(tools, SETTINGS));
  const door = governed.doors.find((each) => each.name === name)!;
  const judged: object[] = [];
  for (const each of CASES) judged.push(await judge(governed, door, each));
  expect(judged).toEqual(CASES.map(expected));
  const { approvals } = (await governed.host.rest("GET", "/v1/approvals")).json as { approvals: { tool: string }[] };
  expect(new Set(approvals.map(({ tool }) => tool))).toEqual(ASKED);
});

it("a rule binds at the doors that it names, what needs a credential not where there is none, and a limit at all together", async () => {
  const governed = await startGoverned(
    makeGovernedPlace(["far", "known", "few"], {
      policy: {
        rules: [
          { id: "not-mcp", match: { tools: ["ops__far"], doors: ["mcp"] }, effect: "deny" },
          {
            id: "few",
            match: { tools: ["ops__few"] },
            effect: "limit",
            limit: { per: "host", calls: 3, window_s: 3600 },
          },
        ],
        capabilities: { ops__known: { auth_required: true } },
      },
    }),
  );
  const at = async (tool: string): Promise<(string | null)[]> => {
    const all: (string | null)[] = [];
    for (const { call } of governed.doors) all.push((await call(tool, { n: "x" })).refused);
    return all;
  };
  const no = "policy_denied";
  expect(governed.doors.map(({ name }) => name)).toEqual(DOORS);
  expect(await at("ops__far")).toEqual([no, no, no, null, null, null]);
  expect(await at("ops__known")).toEqual([null, null, null, null, null, no]);
  expect(await at("ops__few")).toEqual([null, null, null, "rate_limited", "rate_limited", "rate_limited"]);
  expect(governed.place.effects().filter((each) => each === "few x")).toHaveLength(3);
});
