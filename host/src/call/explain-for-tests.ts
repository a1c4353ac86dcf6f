/** For the tests of `explain`: the real gates of a host with one provider of three tools, whose approvals nobody gives. */
import { NOBODY } from "../kernel/ask.ts";
import type { RawCall } from "../kernel/call.ts";
import type { Principal } from "../kernel/principal.ts";
import { EMPTY_CATALOGUE, type ListedTool, type Provider, type ProviderState } from "../kernel/provider.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { Refusal } from "../kernel/refusal.ts";
import { NO_ROOTS } from "../kernel/roots-for-tests.ts";
import type { Equipped, Identified } from "../kernel/stages.ts";
import { UriOwners } from "../kernel/uri-owners.ts";
import { createDescriptors } from "./create-descriptors.ts";
import { createEnvironment } from "./environment/environment.ts";
import { createEnvironmentBook } from "./environment/environment-book.ts";
import { createExplain } from "./explain.ts";
import { createInput } from "./input/input.ts";
import { lifecycle } from "./lifecycle/lifecycle.ts";
import { lifecycleOf } from "./lifecycle/lifecycle-of.ts";
import { createExplainPolicy } from "./policy/explain-policy.ts";
import { createPolicy } from "./policy/policy.ts";
import { createPolicyBook } from "./policy/policy-book.ts";
import { configOf } from "./policy/policy-for-tests.ts";
import { WindowCounts } from "./policy/window-counts.ts";
import { createExplainSurface } from "./surface/explain-surface.ts";
import { createSurface } from "./surface/surface.ts";
import { createWorkspaceSurfaces } from "./surface/workspace-surfaces.ts";

const toolOf = (value: { readonly name: string; readonly [key: string]: unknown }): ListedTool => ({
  name: value.name,
  definition: "sha256:0",
  json: rawJson(JSON.stringify(value)),
  value,
});

const TOOLS = [
  toolOf({ name: "schedule", description: "Reserves.", inputSchema: { type: "object", required: ["slot"] } }),
  toolOf({ name: "needy", _meta: { dcc: { required_capabilities: ["usd"] } } }),
  toolOf({ name: "free" }),
];

const openHost = (policy: object, state: ProviderState = "running") => {
  const book = createPolicyBook({ host: configOf(policy) });
  const counts = new WindowCounts([]);
  const parts = { book, counts, permissionsBehind: () => ["*"] };
  const capabilities = createEnvironmentBook({ declared: [], require: {}, providers: {} });
  const surfaces = createWorkspaceSurfaces({
    ...book,
    maxNameLength: 64,
    ownersOf: () => new UriOwners(),
    requirementsOf: capabilities.of,
    lifecycleOf: (provider, tool, { overlaid }) => lifecycleOf(provider, tool, overlaid),
  });
  const status = { state, reason: null, next: null, since: 0, retryAfterMs: null, version: "1.0.0" };
  const catalogue = { ...EMPTY_CATALOGUE, tools: TOOLS };
  surfaces
    .registry("ws_default")
    .add({ name: "dispatch", status: () => status, catalogue: () => catalogue } as unknown as Provider);
  const environment = createEnvironment({ book: capabilities, listedName: (flat) => flat });
  const input = createInput({ guardrailsOf: (workspace) => book.of(workspace).guardrails, rootsOf: NO_ROOTS });
  const gates = { surface: createSurface(surfaces), environment, policy: createPolicy(parts) };
  const explain = createExplain({
    surface: createExplainSurface(surfaces),
    environment,
    policy: createExplainPolicy(parts),
    inputChecks: input.checks,
    rootsFor: input.rootsFor,
    required: ({ target }) =>
      (target.tool && capabilities.of(target.provider.name, target.tool, target.flatName))?.required ?? [],
    approval: ({ verdict }) =>
      verdict.demand === null
        ? {
            check: { stage: 8, name: "approval", check: "approval", status: "pass", why: "none" },
            digest: null,
            verdict: "run",
          }
        : {
            check: {
              stage: 8,
              name: "approval",
              check: verdict.demand.rule,
              status: "fail",
              why: "no approval",
              next: "Call it.",
            },
            digest: "sha256:1",
            verdict: "wait",
          },
    policyVersion: (workspace) => book.of(workspace).version,
  });
  const descriptors = createDescriptors(surfaces);
  return { book, counts, gates, input, explain, descriptors, close: () => surfaces.close() };
};

type Host = ReturnType<typeof openHost>;

export const rawOf = (more: Partial<RawCall> = {}): RawCall =>
  ({
    door: "rest",
    operation: "call",
    name: "dispatch__schedule",
    provider: null,
    args: { slot: "9:00" },
    argsJson: null,
    providerHint: null,
    surface: null,
    asker: NOBODY,
    continues: null,
    envelope: null,
    ...more,
  }) as unknown as RawCall;

/** The stage and kind at which a real call would end, or 8 when it waits; 9 when it runs. */
export const realEnd = ({ gates, input }: Host, raw: RawCall, principal: Principal): string => {
  const call = { ...raw, principal } as Identified;
  let stage = 3;
  const enter = <T>(next: number, value: T): T => {
    stage = next;
    return value;
  };
  try {
    const live = lifecycle(enter(4, gates.surface(call)));
    const equipped: Equipped = gates.environment(enter(5, live));
    const permitted = gates.policy(enter(6, equipped));
    const valid = input.run(enter(7, permitted));
    return valid.verdict.demand === null ? "runs" : "8";
  } catch (no) {
    if (no instanceof Refusal) return String(stage);
    throw no;
  }
};

export const withHost = <T>(policy: object, use: (host: Host) => T, state?: ProviderState): T => {
  const host = openHost(policy, state);
  try {
    return use(host);
  } finally {
    host.close();
  }
};
