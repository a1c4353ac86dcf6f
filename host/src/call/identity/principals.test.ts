import { describe, expect, it } from "vitest";
import type { RawCall } from "../../kernel/call.ts";
import { NO_ENVELOPE } from "../../kernel/envelope.ts";
import type { Door } from "../../kernel/principal.ts";
import { createIdentify, createIdentity, type Credential, type IdentifyOptions } from "./identify.ts";
import { readChpKeys } from "./read-chp-keys.ts";

const key = (more: Partial<Credential>): Credential => ({
  name: "k",
  as: "agent:k",
  for: null,
  scopes: null,
  permissions: [],
  workspace: "ws_default",
  ...more,
});

const KEYS: Record<string, Credential> = {
  bw_owner: key({ name: "owner", as: "person:owner", permissions: ["*"] }),
  bw_second: key({ name: "second", as: "person:owner" }),
  bw_maria: key({ name: "maria", as: "person:maria", permissions: ["evidence:read"] }),
  bw_plan: key({ name: "plan", as: "agent:planning-assistant", for: "person:maria" }),
  token: key({ name: "oidc", as: "person:maria", roles: ["staff"] }),
};

const keysOf = (...lines: string[]) => readChpKeys(lines, { env: {}, loopback: true }).keys;

const open = (more: Partial<IdentifyOptions> = {}) =>
  createIdentify({
    findKey: (secret) => KEYS[secret] ?? null,
    noAuth: () => false,
    isMember: () => true,
    principals: {
      "agent://planning-assistant": { roles: [], permissions: ["service:dispatch"], clearance: "confidential" },
      "person:maria": { roles: ["manager"], permissions: ["approvals:decide"], max_risk_tier: "medium" },
      "agent:mcp-client": { roles: [], permissions: ["tools:use"], max_risk_tier: "critical" },
      runner: { roles: [], permissions: ["evidence:read"] },
    },
    chpKeys: keysOf("runner:k", "runner:k2", "planning-assistant:p", "scoped:sk:conformance.echo|other__*"),
    ...more,
  });

const by = (token: string, door: Door = "rest") => open()({ kind: "bearer", token }, door);

describe("what auth.principals says", () => {
  it("is added to what the key gives, under either spelling", () => {
    expect(by("bw_maria")).toMatchObject({
      id: "person:maria",
      roles: ["manager"],
      permissions: ["evidence:read", "approvals:decide"],
      maxRiskTier: "medium",
    });
    expect(by("bw_plan")).toMatchObject({ permissions: ["service:dispatch"], clearance: "confidential" });
    expect(by("token")).toMatchObject({ roles: ["staff", "manager"], permissions: ["approvals:decide"] });
  });

  it("about a person stays the person's when a program acts with its key", () => {
    const client = by("bw_maria", "mcp");
    expect(client).toMatchObject({ id: "agent:mcp-client", onBehalfOf: "person:maria", roles: [] });
    expect(client?.permissions).toEqual(["evidence:read", "tools:use"]);
    expect(by("bw_owner", "mcp")).toMatchObject({ roles: [], permissions: ["*", "tools:use"] });
  });

  it("bounds the risk of whoever acts for somebody by both", () => {
    expect(by("bw_maria", "mcp")?.maxRiskTier).toBe("medium");
    expect(by("bw_plan")?.maxRiskTier).toBe("medium");
    expect(by("bw_owner", "mcp")?.maxRiskTier).toBe("critical");
    expect(by("bw_owner")).not.toHaveProperty("maxRiskTier");
  });

  it("is asked by id for those that somebody acts for; the owner has everything", () => {
    const identify = open();
    expect(identify.factsOf("person:maria").permissions).toEqual(["approvals:decide"]);
    expect(identify.factsOf("person:owner")).toMatchObject({ roles: ["owner"], permissions: ["*"] });
    expect(identify.factsOf("person:nobody")).toEqual({ roles: [], permissions: [] });
    expect(identify.factsOf("constructor")).toEqual({ roles: [], permissions: [] });
  });

  it("tells who is behind a program with what the key gave that one, in every workspace", () => {
    const identify = open();
    const client = identify({ kind: "bearer", token: "bw_maria" }, "mcp")!;
    const there = identify({ kind: "bearer", token: "bw_maria", workspace: "ws_other" }, "mcp")!;
    for (const principal of [client, there]) {
      expect(identify.factsBehind(principal)?.permissions).toEqual(["evidence:read", "approvals:decide"]);
    }
    const planner = identify({ kind: "bearer", token: "bw_plan" }, "rest")!;
    expect(identify.factsBehind(planner)?.permissions).toEqual(["approvals:decide"]);
    expect(identify.factsBehind(identify({ kind: "bearer", token: "bw_maria" }, "rest")!)).toBeNull();
  });

  it("makes no key the owner's that is only made out to the owner", () => {
    expect(by("bw_owner")).toMatchObject({ id: "person:owner", roles: ["owner"], permissions: ["*"] });
    expect(by("bw_second")?.permissions).toEqual([]);
  });

  it("is the same object for the same key and door, so that nothing is worked out twice", () => {
    const identify = open();
    const presented = { kind: "bearer", token: "bw_maria" } as const;
    expect(identify(presented, "mcp")).toBe(identify(presented, "mcp"));
    expect(identify(presented, "mcp")).not.toBe(identify(presented, "rest"));
  });
});

describe("whoever is at the machine", () => {
  it("is a program of the owner at an MCP door, as behind the owner's key, and the owner elsewhere", () => {
    const identify = open();
    expect(identify({ kind: "local" }, "mcp")).toMatchObject({
      id: "agent:mcp-client",
      kind: "agent",
      onBehalfOf: "person:owner",
      roles: [],
      permissions: ["*"],
      assurance: "local",
    });
    expect(identify({ kind: "local" }, "cli")).toMatchObject({ id: "person:owner", roles: ["owner"] });
    const named = { kind: "local", principal: "agent:planning-assistant" } as const;
    expect(identify(named, "program")).toMatchObject({ permissions: ["service:dispatch"], assurance: "local" });
  });
});

describe("a key of CHP", () => {
  const shown = (text: string) => open()({ kind: "chp-key", text }, "chp");

  it.each(["k", "k2", "runner:k", "runner:k2"])("opens as %s", (text) => {
    expect(shown(text)).toMatchObject({
      id: "service:runner",
      kind: "service",
      onBehalfOf: null,
      assurance: "credential",
      permissions: ["evidence:read"],
      scopes: null,
      workspace: "ws_default",
      subject: { id: "runner", type: "api_key" },
    });
  });

  it.each([
    "",
    ":",
    "k:",
    "runner",
    "runner:",
    "other:k",
    "runner:K",
    "planning-assistant:k",
    "runner:k:x",
    "x".repeat(600),
  ])("does not open as %j", (text) => expect(shown(text)).toBeNull());

  it("acts as the principal of its name, with the scopes that it has", () => {
    expect(shown("p")).toMatchObject({
      id: "agent:planning-assistant",
      kind: "agent",
      permissions: ["service:dispatch"],
    });
    expect(shown("sk")).toMatchObject({
      id: "service:scoped",
      scopes: ["conformance.echo", "other__*"],
      permissions: [],
    });
  });

  it("opens no other way in, and a key of the host opens this one", () => {
    const identify = open();
    expect(identify({ kind: "bearer", token: "k" }, "chp")).toBeNull();
    expect(identify({ kind: "bearer", token: "runner:k" }, "rest")).toBeNull();
    expect(identify({ kind: "chp-key", text: "bw_maria" }, "chp")).toMatchObject({ id: "person:maria" });
    expect(identify({ kind: "bearer", token: "bw_maria" }, "chp")).toMatchObject({ id: "person:maria" });
    expect(identify({ kind: "none" }, "chp")).toBeNull();
  });

  it.each(["runner:${env:KEY}", "runner", "runner:", ":k", "runner:k:", "runner:k:a||b", "ru nner:k", "runner:k k"])(
    "is none that is written %s",
    (line) => {
      const identify = open({ chpKeys: keysOf(line) });
      const texts = ["k", "${env", "runner:${env", "${env:KEY}", "runner:${env:KEY}", "", "runner:"];
      expect(texts.map((text) => identify({ kind: "chp-key", text }, "chp"))).toEqual(texts.map(() => null));
    },
  );
});

it("believes nothing that a body says about who acts", () => {
  const identify = open();
  const asserted = { subject: { id: "person:owner", verified: true }, actor: "person://owner", verified: true };
  const call = (presented: RawCall["presented"]) =>
    ({ presented, door: "chp", verified: null, envelope: { ...NO_ENVELOPE, asserted } }) as unknown as RawCall;
  const stage = createIdentity(identify);
  expect(stage(call({ kind: "chp-key", text: "k" })).principal).toBe(identify({ kind: "chp-key", text: "k" }, "chp"));
  expect(() => stage(call({ kind: "none" }))).toThrow("unknown or was revoked");
});
