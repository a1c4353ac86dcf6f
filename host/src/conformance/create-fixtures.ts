/**
 * The tools that the public CHP suite wants to find, as a provider like any other: what makes them fail or be refused is
 * their behaviour and their overlays, never a shortcut in a gate.
 */
import { createBuiltIn, type BuiltInResult, type BuiltInTool } from "../kernel/built-in.ts";
import type { Provider } from "../kernel/provider.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { Refusal } from "../kernel/refusal.ts";

const PROVIDER = "conformance";
const ANY_OBJECT = { type: "object" };
const CHUNKS = ["s1", "s2", "s3"];

const answered = (data: object): Promise<BuiltInResult> =>
  Promise.resolve({ content: [{ type: "text", text: JSON.stringify(data) }], structuredContent: data });

const echo: BuiltInTool["run"] = (args) => answered({ echo: args["value"] ?? null });

const fail: BuiltInTool["run"] = () => {
  const next = "Nothing: this tool is there to fail.";
  return Promise.reject(new Refusal("upstream_failed", { message: "expected failure", next }));
};

const stream: BuiltInTool["run"] = (_, { listener }) => {
  for (const chunk of CHUNKS) listener.chunk?.(rawJson(JSON.stringify(chunk)));
  return answered({ chunks: CHUNKS.length, joined: CHUNKS.join("") });
};

interface Fixture {
  readonly description: string;
  readonly run: BuiltInTool["run"];
  /** As a file would have it in `policy.capabilities`. */
  readonly overlay?: Readonly<Record<string, unknown>>;
  readonly streams?: true;
}

const REQUIRES_VALUE = {
  id: "requires_value",
  kind: "required_payload_fields",
  enforcement: "host",
  failure_behavior: "deny",
  parameters: { fields: ["value"] },
};

const FIXTURES: Readonly<Record<string, Fixture>> = {
  echo: { description: "Returns its value.", run: echo },
  fail: { description: "Fails each time.", run: fail },
  guarded: { description: "Needs a value.", run: echo, overlay: { invariants: [REQUIRES_VALUE] } },
  approval: {
    description: "Needs an approval for each call.",
    run: echo,
    overlay: { autonomy: { tier: "approval_required" } },
  },
  budgeted: {
    description: "May run once in a correlation.",
    run: echo,
    overlay: { autonomy: { action_limit: 1 } },
  },
  risky: { description: "Is of high risk.", run: echo, overlay: { risk: "high" } },
  unsafe: { description: "Is stopped by a guardrail.", run: echo },
  stream: { description: "Gives its result out in three pieces.", run: stream, streams: true },
};

/** For `policy.capabilities`, by flat name: the ids that the suite calls, and what it wants to be refused. */
export const fixtureOverlays: Readonly<Record<string, Readonly<Record<string, unknown>>>> = Object.fromEntries(
  Object.entries(FIXTURES).map(([name, { overlay }]) => [
    `${PROVIDER}__${name}`,
    { id: `${PROVIDER}.${name}`, version: "1.0.0", ...overlay },
  ]),
);

const toolOf = ([name, { description, run, streams }]: [string, Fixture]): BuiltInTool => {
  const tool = { definition: { name, description, inputSchema: ANY_OBJECT }, run };
  return streams ? { ...tool, streams } : tool;
};

export const createFixtures = (): Provider =>
  createBuiltIn({ name: PROVIDER, version: "1.0.0", tools: Object.entries(FIXTURES).map(toolOf) });
