import { readdirSync, readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import type { Capability } from "../../kernel/capability.ts";
import { describeCapability } from "./describe-capability.ts";
import { configOf, openBench, principalOf, providerOf, toolOf } from "./policy-for-tests.ts";

const SCHEMAS = new URL("../../../test/chp-schemas/", import.meta.url);
const ajv = new Ajv2020({ strict: false, validateFormats: false });
for (const file of readdirSync(SCHEMAS).filter((name) => name.endsWith(".json")))
  ajv.addSchema(JSON.parse(readFileSync(new URL(file, SCHEMAS), "utf8")) as object);
const isDescriptor = ajv.getSchema("https://chp.dev/schemas/v0.1/capability-descriptor.schema.json")!;

const overlaid = (overlay: object, tool = toolOf()): Capability =>
  openBench({ capabilities: { billing__refund: overlay } }).capability(tool);

const INVOKABLE = { state: "invokable", reason: null, next: null, retryAfterMs: null } as const;
const described = (capability: Capability, tool = toolOf()) =>
  describeCapability({ capability, tool, provider: "billing", lifecycle: INVOKABLE, required: [], missing: [] });

describe("a capability without an overlay", () => {
  it.each([
    ["the flat name as id", {}, { id: "billing__refund", version: "1.2.3", uri: "billing__refund:1.2.3" }],
    ["medium risk", {}, { risk: "medium", status: "experimental", modes: ["sync"] }],
    ["high risk where it says that it destroys", { annotations: { destructiveHint: true } }, { risk: "high" }],
    ["no lower risk for any hint", { annotations: { readOnlyHint: true, destructiveHint: false } }, { risk: "medium" }],
    ["no restriction", {}, { authRequired: false, approvalRequired: false, allowedActors: [], classification: null }],
  ])("has %s", (_, value, expected) => {
    expect(openBench().capability(toolOf(value))).toMatchObject(expected);
  });

  it("has 0.0.0 where its provider's version is none, and stream where it streams", () => {
    const { book } = openBench();
    const tool = toolOf({}, { streams: true });
    const of = (version: string | null) =>
      book.capabilityOf("ws_default", { provider: providerOf("p", version), tool, flatName: "p__t" });
    expect(["latest", null, "v1.0.0", "1.0"].map((version) => of(version).version)).toEqual(Array(4).fill("0.0.0"));
    expect(of("2.0.0-rc.1")).toMatchObject({ version: "2.0.0-rc.1", modes: ["sync", "stream"] });
  });

  it("escapes what an id cannot hold", () => {
    expect(openBench().capability(toolOf(), "billing__ré fund").id).toBe("billing__r:C3:A9:20fund");
  });

  it("is the same object for every call until the policy changes", () => {
    const { book, capability } = openBench();
    const before = capability();
    expect(capability()).toBe(before);
    const { before: was, after } = book.replace(configOf({ capabilities: { billing__refund: { risk: "critical" } } }));
    expect(was).not.toBe(after);
    expect(capability().risk).toBe("critical");
  });
});

describe("an overlay", () => {
  it.each([
    [{ id: "refund" }, { id: "refund", uri: "refund:1.2.3" }],
    [{ version: "3.0.0" }, { version: "3.0.0", uri: "billing__refund:3.0.0" }],
    [{ description: "Pays back." }, { description: "Pays back." }],
    [{ status: "certified" }, { status: "certified" }],
    [{ emits: ["execution_started"] }, { emits: ["execution_started"] }],
    [{ risk_tier: "low" }, { risk: "low" }],
    [{ risk: "high" }, { risk: "high" }],
    [{ risk: "critical", risk_tier: "low" }, { risk: "critical" }],
    [{ auth_required: true }, { authRequired: true }],
    [{ approval_required: true }, { approvalRequired: true }],
    [{ allowed_actors: ["agent://x", "bob"] }, { allowedActors: ["agent:x", "bob"] }],
    [{ data_classification: "confidential" }, { classification: "confidential" }],
    [{ required_permissions: ["service:dispatch"] }, { requiredPermissions: ["service:dispatch"] }],
    [{ autonomy: { action_limit: 3 } }, { autonomy: { tier: null, actionLimit: 3, spendLimit: null } }],
    [{ sunset: "2027-01-31" }, { sunset: Date.parse("2027-01-31") }],
    [{ strict_output: true }, { strictOutput: true }],
    [{ timeout_s: 1.5 }, { timeoutMs: 1_500 }],
    [{ enabled: false, reason: "Broken." }, { disabled: "Broken." }],
    [
      { approval: { rule: "m", approvers: ["role:manager"], four_eyes: true } },
      { approval: { rule: "m", fourEyes: true, count: 1 } },
    ],
    [{ invariants: [{ id: "i", kind: "k" }] }, { invariants: [{ id: "i", kind: "k", enforcement: "declarative" }] }],
  ])("says %j", (overlay, expected) => {
    expect(overlaid(overlay)).toMatchObject(expected);
  });

  it.each([
    { risk_teir: "high" },
    { risk: "lowest" },
    { allowed_actors: "agent:x" },
    { allowed_actors: [""] },
    { version: "one" },
    { auth_required: "yes" },
    { autonomy: { tier: "free" } },
    { autonomy: { action_limit: -1 } },
    { approval: { approvers: [] } },
    { approval: { aprovers: ["role:x"] } },
    { invariants: [{ id: "i" }] },
    { sunset: "soon" },
    { timeout_s: 0 },
    { id: "with blank" },
  ])("that cannot be read disables its tool and is reported: %j", (overlay) => {
    expect(overlaid(overlay).disabled).toContain("cannot be read");
    const { book } = openBench({ capabilities: { billing__refund: overlay } });
    const [found] = book.report("ws_default").diagnostics;
    expect(found).toMatchObject({ severity: "error", where: "policy.capabilities.billing__refund" });
  });

  it("lowers the risk of a pinned definition only", () => {
    const policy = { capabilities: { billing__refund: { risk_tier: "low" } } };
    const tool = toolOf({ annotations: { destructiveHint: true } });
    expect(openBench(policy).capability(tool).risk).toBe("low");
    const unpinned = { ...providerOf(), unpinned: true };
    const what = { provider: unpinned, tool, flatName: "billing__refund" };
    expect(openBench(policy).book.capabilityOf("ws_default", what).risk).toBe("high");
  });

  it("never takes an id that is another's, and says so", () => {
    const { book } = openBench({ capabilities: { a__x: { id: "same" }, b__y: { id: "same" }, c__z: { id: "a__x" } } });
    const idOf = (flatName: string) =>
      book.capabilityOf("ws_default", { provider: providerOf(), tool: toolOf(), flatName }).id;
    expect(["a__x", "b__y", "c__z"].map(idOf)).toEqual(["same", "b__y", "c__z"]);
    expect(book.report("ws_default").diagnostics).toHaveLength(2);
    expect(book.flatNameOf("ws_default", "same")).toBe("a__x");
    expect(book.flatNameOf("ws_default", "a__x")).toBeNull();
  });

  it("for a tool that there is not is named when the tools are known", () => {
    const { book } = openBench({ capabilities: { gone__x: { risk: "high" } } });
    expect(book.report("ws_default").diagnostics).toEqual([]);
    expect(book.report("ws_default", ["billing__refund"]).diagnostics).toMatchObject([
      { severity: "warning", where: "policy.capabilities.gone__x" },
    ]);
  });
});

describe("a workspace's own overlay", () => {
  const both = (host: object, workspace: object): Capability => {
    const own = configOf({ capabilities: { billing__refund: workspace } });
    const { book } = openBench({ capabilities: { billing__refund: host } }, { ofWorkspace: () => own });
    return book.capabilityOf("ws_a", { provider: providerOf(), tool: toolOf(), flatName: "billing__refund" });
  };

  it.each([
    [{ risk: "high" }, { risk: "low" }, { risk: "high" }],
    [{ allowed_actors: ["a", "b"] }, { allowed_actors: ["b", "c"] }, { allowedActors: ["b"] }],
    [{ allowed_actors: ["a"] }, { allowed_actors: [] }, { allowedActors: ["a"] }],
    [{ allowed_actors: ["a"] }, { allowed_actors: ["c"] }, { allowedActors: ["nobody:"] }],
    [{ auth_required: true }, { auth_required: false }, { authRequired: true }],
    [{ data_classification: "restricted" }, { data_classification: "public" }, { classification: "restricted" }],
    [{ required_permissions: ["a"] }, { required_permissions: ["b"] }, { requiredPermissions: ["a", "b"] }],
    [{ autonomy: { action_limit: 2 } }, { autonomy: { action_limit: 9 } }, { autonomy: { actionLimit: 2 } }],
    [{ enabled: false }, { enabled: true }, { disabled: "It is disabled by configuration." }],
  ])("only tightens the host's: %j and %j", (host, workspace, expected) => {
    expect(both(host, workspace)).toMatchObject(expected);
  });
});

describe("a descriptor", () => {
  it("is the seed's, with what the host adds", () => {
    const overlay = {
      id: "schedule_technician",
      version: "1.0.0",
      risk_tier: "high",
      auth_required: true,
      approval_required: true,
      allowed_actors: ["agent://planning-assistant"],
      required_permissions: ["service:dispatch"],
      emits: ["execution_started", "execution_completed", "execution_denied"],
      approval: { rule: "manager_approval", approvers: ["role:manager"], four_eyes: true },
    };
    const description = "Finds an available qualified technician and reserves a service window.";
    const tool = toolOf({ description, inputSchema: { type: "object" } });
    const found = described(overlaid(overlay, tool), tool);
    expect(found).toMatchObject({
      id: "schedule_technician",
      version: "1.0.0",
      description,
      status: "experimental",
      modes: ["sync"],
      emits: overlay.emits,
      policy: {
        risk_tier: "high",
        auth_required: true,
        approval_required: true,
        allowed_actors: ["agent://planning-assistant"],
      },
      metadata: { required_permissions: ["service:dispatch"], lifecycle: "invokable" },
    });
    expect(isDescriptor(found) || isDescriptor.errors).toBe(true);
  });

  it.each([
    {},
    { autonomy: { tier: "approval_required", spend_limit: 3, spend_units: 0.5 } },
    { sunset: "2027-01-31", status: "deprecated", strict_output: true, timeout_s: 5 },
    { data_classification: "confidential", invariants: [{ id: "i", kind: "k", enforcement: "host" }] },
  ])("is valid whatever is said: %j", (overlay) => {
    expect(isDescriptor(described(overlaid(overlay))) || isDescriptor.errors).toBe(true);
  });

  it("is open to principals of one class alike", () => {
    const { book } = openBench({ capabilities: { a__x: { allowed_actors: ["agent://x", "runner"] } } });
    const classOf = (more: object) => book.actorClass("ws_default", principalOf(more));
    expect(classOf({ id: "agent:x" })).toBe(
      classOf({ id: "service:runner", subject: { id: "runner", type: "api_key" } }),
    );
    expect(classOf({ id: "agent:y" })).not.toBe(classOf({ id: "agent:x" }));
    expect(openBench().book.actorClass("ws_default", principalOf())).toBe("");
  });
});
