/** What a tool requires of the host, through the whole call path: order, shapes, change while it runs. */
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { rawJson } from "../kernel/raw-json.ts";
import { needing, openGate, PERSON, toolOf, type Gate, type GateOptions } from "./gate-for-tests.ts";
import { caller, result } from "./path-for-tests.ts";

const DECLARED = ["usd", "scene.read", "scene.mutate", "filesystem.read"];
const REQUIRED = ["usd", "scene.mutate", "filesystem.write"];
const NEEDY = needing("import_usd", ...REQUIRED);
const ASK = { id: "ask", match: { tools: ["maya__*"] }, effect: "require_approval" } as const;
const DENY = { id: "never", match: { tools: ["maya__*"] }, effect: "deny" } as const;

const open: Gate[] = [];
const gateOf = (options: Partial<GateOptions> = {}): Gate => {
  const gate = openGate({ tools: [NEEDY], capabilities: { declared: DECLARED }, ...options });
  open.push(gate);
  return gate;
};
afterEach(() => {
  for (const gate of open.splice(0)) gate.path.close();
});

const kindOf = async (gate: Gate, name = "maya__import_usd", more = {}): Promise<string> => {
  const { ending } = await gate.call(name, more);
  return ending.kind === "refusal" ? `${ending.refusal.kind} ${ending.stage}` : ending.kind;
};

describe("the gate answers before", () => {
  const schema = { inputSchema: { type: "object", required: ["path"] } };
  const strict = toolOf({ ...NEEDY.value, name: "import_usd", ...schema });

  it.each<[string, Partial<GateOptions>]>([
    ["policy", { policy: { rules: [DENY] } }],
    ["input", { tools: [strict] }],
    ["approval, for which nobody is asked", { policy: { rules: [ASK] } }],
  ])("%s", async (_, options) => {
    const gate = gateOf(options);
    expect(await kindOf(gate)).toBe("capability_missing 5");
    expect([...gate.path.approvals.list(PERSON)]).toEqual([]);
    expect(gate.sent).toEqual([]);
    gate.replace({ declared: [...DECLARED, "filesystem.write"] });
    expect(await kindOf(gate)).not.toBe("capability_missing 5");
  });

  it.each(["starting", "crashed"] as const)("readiness: its bundle is %s", async (state) => {
    const gate = gateOf();
    gate.state = state;
    expect(await kindOf(gate)).toBe("capability_missing 5");
    gate.replace({ declared: REQUIRED });
    expect(await kindOf(gate)).toBe("not_ready 9");
  });
});

describe("what answers before the gate", () => {
  const barred = { state: "disabled", reason: "group_inactive", next: "Switch it on." } as const;
  it.each<[string, string, Partial<GateOptions>]>([
    ["unknown_tool 3", "maya__import_us", {}],
    ["disabled 4", "maya__import_usd", { policy: { capabilities: { maya__import_usd: { enabled: false } } } }],
    [
      "not_visible 3",
      "maya__import_usd",
      { policy: { capabilities: { maya__import_usd: { allowed_actors: ["x:y"] } } } },
    ],
    ["disabled 4", "maya__import_usd", { tools: [{ ...NEEDY, barred }] }],
    ["unavailable 4", "maya__import_usd", { tools: [{ ...NEEDY, barred: { ...barred, state: "unavailable" } }] }],
    ["definition_changed 4", "maya__import_usd", { tools: [{ ...NEEDY, held: "definition_changed" }] }],
  ])("%s of %s", async (kind, name, options) => {
    const gate = gateOf(options);
    expect(await kindOf(gate, name)).toBe(kind);
    expect(gate.sent).toEqual([]);
  });

  it("is listed with its own state and reason, and with what is missing", () => {
    const gate = gateOf({ tools: [{ ...NEEDY, barred }] });
    expect(gate.listed()[0]?._meta).toMatchObject({
      "dev.bailiwick/lifecycle": {
        state: "disabled",
        reason: "group_inactive",
        next: "Switch it on.",
        retryable: false,
      },
      dcc: { required_capabilities: REQUIRED, missing_capabilities: ["filesystem.write"] },
    });
  });
});

describe("the refusal", () => {
  const remedy = "Declare filesystem.write for this host: bailiwick capabilities add filesystem.write";
  const members = (tool: string) => ({
    kind: "capability_missing",
    retryable: false,
    tool,
    required: REQUIRED,
    missing: ["filesystem.write"],
    declared: DECLARED,
    required_capabilities: REQUIRED,
    missing_capabilities: ["filesystem.write"],
    declared_capabilities: DECLARED,
    remedy,
    next: remedy,
    evidence_id: "evt_1",
  });

  it.each([
    [null, "maya__import_usd"],
    ["maya", "import_usd"],
  ])("over MCP is -32001 with all of it, for each call, on the endpoint of %s", async (provider, name) => {
    const gate = gateOf();
    for (const at of [1, 2]) {
      const { member, json } = gate.path.shape.mcp(await gate.call(name, { provider }), "call");
      expect(member).toBe("error");
      expect(JSON.parse(json)).toMatchObject({
        code: -32001,
        message: `capability_missing: tool '${name}' requires filesystem.write`,
        data: { ...members(name), evidence_id: `evt_${at}` },
      });
    }
    expect(gate.events).toMatchObject([{ outcome: "denied" }, { outcome: "denied" }]);
    expect(gate.events[0]?.payload).toContain('"maya__import_usd:1.0.0"');
  });

  it("over REST is 422 with the same object in data", async () => {
    const gate = gateOf();
    const { status, json } = gate.path.shape.rest(await gate.call("maya__import_usd", { door: "rest" }));
    expect(status).toBe(422);
    expect(JSON.parse(json)).toMatchObject({ error: "capability_missing", remedy, data: members("maya__import_usd") });
  });

  it("over CHP is a denial with the same keys in its details", async () => {
    const gate = gateOf();
    const json = gate.path.shape.chp(await gate.call("maya__import_usd", { door: "chp" }));
    const { evidence_id: _, retryable: _retryable, ...details } = members("maya__import_usd");
    expect(JSON.parse(json)).toMatchObject({
      outcome: "denied",
      denial: { code: "dev.bailiwick.capability_missing", retryable: false, details },
    });
  });

  it("names a tool whose name is too long as it is listed", async () => {
    const gate = gateOf({ tools: [needing("n".repeat(80), "x")] });
    const [{ name } = { name: "" }] = gate.listed();
    expect(name).toHaveLength(64);
    const { ending } = await gate.call(`maya__${"n".repeat(80)}`);
    expect(ending).toMatchObject({ refusal: { details: { tool: name } } });
  });
});

describe("what is declared", () => {
  it("counts from the next call after a change, and every workspace hears of it", async () => {
    const gate = gateOf();
    gate.add("ws_other", "nuke");
    const [before, other] = [gate.surface().token, gate.path.surfaces.of({ ...PERSON, workspace: "ws_other" }, null)];
    const heard = new Set<string>();
    const all = Promise.withResolvers<void>();
    await new Promise<void>((settled) => gate.path.surfaces.onChange(() => settled()));
    gate.path.surfaces.onChange((workspace) => heard.add(workspace).size === 2 && all.resolve());
    gate.replace({ declared: REQUIRED });
    expect(await kindOf(gate)).toBe("result");
    expect(await kindOf(gate, "maya__import_usd", { surface: before })).toBe("stale_surface 3");
    expect(gate.surface().token).not.toBe(before);
    expect(gate.path.surfaces.of({ ...PERSON, workspace: "ws_other" }, null)?.token).not.toBe(other?.token);
    expect(gate.listed()[0]?._meta).toEqual({ dcc: { required_capabilities: REQUIRED } });
    await all.promise;
    expect([...heard].toSorted()).toEqual(["ws_default", "ws_other"]);
    gate.replace({ declared: DECLARED });
    expect(gate.surface().token).toBe(before);
    expect(await kindOf(gate)).toBe("capability_missing 5");
  });

  it("for one provider is for its tools alone", async () => {
    const gate = gateOf({ capabilities: { declared: DECLARED, providers: { nuke: ["filesystem.write"] } } });
    gate.add("ws_default", "nuke");
    expect([await kindOf(gate), await kindOf(gate, "nuke__import_usd")]).toEqual(["capability_missing 5", "result"]);
    expect(gate.path.requirements("ws_default")).toEqual([
      { flat: "maya__import_usd", required: REQUIRED, missing: ["filesystem.write"] },
      { flat: "nuke__import_usd", required: REQUIRED, missing: [] },
    ]);
  });

  it("when it is taken away ends an approval that waits, and says what is missing", async () => {
    const gate = gateOf({ capabilities: { declared: REQUIRED }, policy: { rules: [ASK] } });
    const asked = Promise.withResolvers<string>();
    const over = Promise.withResolvers<void>();
    gate.path.approvals.onChange(({ id, state }) => (state === "cancelled" ? over.resolve() : asked.resolve(id)));
    const waiting = gate.call("maya__import_usd", { approvalWaitMs: 20_000 });
    const id = await asked.promise;
    gate.replace({ declared: ["scene.mutate"] });
    await over.promise;
    expect(gate.path.approvals.get(PERSON, id)).toMatchObject({ state: "cancelled" });
    expect(JSON.stringify(gate.events)).toContain("The host no longer declares usd, filesystem.write.");
    expect((await waiting).ending.kind).toBe("refusal");
    expect(gate.sent).toEqual([]);
  });

  it("when it is taken away lets a call end that is past the gate, answers of its caller included", async () => {
    const answering: GateOptions["answering"] = async ({ asker, signal }) => {
      const heard = await asker.ask({ method: "elicitation/create", params: rawJson("{}"), key: null }, signal);
      return result(`{"content":[],"heard":${heard.json}}`);
    };
    const gate = gateOf({ capabilities: { declared: REQUIRED }, answering });
    const asker = caller('{"elicitation":{"form":{}}}', () => {
      gate.replace({ declared: [] });
      return '{"action":"accept"}';
    });
    const { ending } = await gate.call("maya__import_usd", { asker });
    expect(ending).toMatchObject({ json: '{"content":[],"heard":{"action":"accept"}}' });
    expect(await kindOf(gate)).toBe("capability_missing 5");
  });
});

const names = fc.array(fc.constantFrom("", "*", "usd", "USD", "scene", "scene.read"), { maxLength: 4 });
const declarations = fc.oneof(
  names,
  fc.constantFrom<unknown[]>("usd", 7, { a: 1 }, null),
  fc.array(fc.constantFrom("usd", 1, null)),
);

it("list, rows, manifest and gate say the same of every tool, whatever is required and declared", async () => {
  const property = fc.asyncProperty(declarations, names, names, names, async (own, declared, extra, more) => {
    const tool = toolOf({ name: "t", _meta: { dcc: { required_capabilities: own, a: 1.5 } } });
    const gate = openGate({
      tools: [tool],
      capabilities: { declared, require: { "maya__*": extra }, providers: { maya: more } },
    });
    const { ending } = await gate.call("maya__t");
    const dcc = gate.listed()[0]?._meta?.["dcc"] as Record<string, unknown>;
    const [row] = gate.surface().rows();
    const metadata = gate.path.descriptors(PERSON)[0]?.["metadata"] as Record<string, unknown>;
    gate.path.close();
    const refusal = ending.kind === "refusal" ? ending.refusal : null;
    expect(row?.missing).toEqual(refusal?.details["missing"] ?? []);
    expect(dcc["a"]).toBe(1.5);
    if (refusal?.kind === "suspended") {
      expect(row?.state).toBe("suspended");
      expect(dcc).toEqual({ required_capabilities: own, a: 1.5 });
      return;
    }
    expect(metadata["missing_capabilities"]).toEqual(refusal?.details["missing"]);
    expect(dcc["missing_capabilities"]).toEqual(refusal?.details["missing"]);
    expect(dcc["required_capabilities"] ?? []).toEqual(row?.required);
    for (const name of row?.missing ?? []) expect(row?.required).toContain(name);
    expect(gate.sent).toHaveLength(refusal === null ? 1 : 0);
  });
  await fc.assert(property, { numRuns: 60 });
});
