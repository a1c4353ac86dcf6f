import { describe, expect, it } from "vitest";
import type { Presented, PresentedAgent } from "../../kernel/principal.ts";
import { subjectOf } from "../../kernel/subject.ts";
import { createIdentify, type Credential } from "./identify.ts";

const key = (more: Partial<Credential>): Credential => ({
  name: "k",
  as: "agent:k",
  for: "person:owner",
  scopes: null,
  permissions: [],
  workspace: "ws_default",
  ...more,
});

const keys = new Map<string, Credential>([
  ["owner", key({ name: "owner", as: "person:owner", for: null, permissions: ["*"] })],
  ["ann", key({ name: "ann", as: "person:ann", for: null, permissions: ["a:b"], scopes: ["echo__*"] })],
  ["cleo", key({ name: "cleo", as: "person:cleo", for: null })],
  ["bot", key({ name: "bot", as: "agent:bot", permissions: ["c:d"] })],
  ["svc", key({ name: "svc", as: "service:billing", for: null })],
]);
let noAuth = false;
const identify = createIdentify({
  findKey: (secret) => keys.get(secret) ?? null,
  noAuth: () => noAuth,
  isMember: (workspace) => workspace === "ws_other",
  principals: {
    "agent:bailiwick": {
      roles: ["helper"],
      permissions: ["service:dispatch"],
      max_risk_tier: "high",
      clearance: "restricted",
    },
    "agent:researcher": { roles: ["reader"], permissions: ["db:write", "service:dispatch"], max_risk_tier: "critical" },
    "person:ann": { roles: ["manager"], permissions: ["approvals:decide"], max_risk_tier: "low", clearance: "public" },
    "person:cleo": { roles: [], permissions: [], clearance: "restricted" },
    "service:billing": { roles: [], permissions: [], clearance: "public" },
    "agent:bot": { roles: [], permissions: [], max_risk_tier: "medium" },
  },
});

const agent = (token: string, more: Partial<PresentedAgent> = {}): PresentedAgent => ({
  kind: "agent",
  id: "agent:bailiwick",
  chain: [],
  behind: { kind: "bearer", token },
  door: "rest",
  ...more,
});

describe("the host's own agent", () => {
  it("acts on behalf of the person behind the credential, with the key's permissions and scopes and none of the person's roles", () => {
    expect(identify(agent("ann"), "agent")).toMatchObject({
      id: "agent:bailiwick",
      kind: "agent",
      onBehalfOf: "person:ann",
      roles: ["helper"],
      permissions: ["a:b", "service:dispatch"],
      scopes: ["echo__*"],
      maxRiskTier: "low",
      clearance: "restricted",
      clearances: ["public"],
      credentialId: "ann",
    });
    expect(identify(agent("ann"), "agent")?.chain).toBeUndefined();
    expect(identify.factsBehind(identify(agent("ann"), "agent")!)).toMatchObject({
      permissions: ["a:b", "approvals:decide"],
    });
  });

  it("gives the holder of another agent's or a service's key nothing that its own key does not have", () => {
    expect(identify(agent("bot"), "agent")).toMatchObject({
      id: "agent:bailiwick",
      onBehalfOf: "person:owner",
      roles: [],
      permissions: ["c:d"],
      maxRiskTier: "medium",
      chain: [{ id: "agent:bot" }],
    });
    const svc = identify(agent("svc"), "agent");
    expect(svc).toMatchObject({
      onBehalfOf: "service:billing",
      permissions: [],
      clearance: "public",
      clearances: ["restricted"],
      chain: [{ id: "service:billing" }],
    });
  });

  it("names everybody between a delegate and the person, in evidence too", () => {
    const delegate = identify(agent("owner", { id: "agent:researcher", chain: ["agent:bailiwick"] }), "agent");
    expect(delegate).toMatchObject({
      id: "agent:researcher",
      chain: [{ id: "agent:bailiwick" }],
      onBehalfOf: "person:owner",
    });
    expect(JSON.parse(subjectOf(delegate!, "agent"))).toMatchObject({
      id: "agent://researcher",
      on_behalf_of: "person://owner",
      chain: ["agent://bailiwick"],
      door: "agent",
    });
  });

  it("has the clearance that it was given itself, and not that of its person", () => {
    const cleo = identify(agent("cleo", { id: "agent:researcher" }), "agent");
    expect([cleo?.clearance, cleo?.clearances]).toEqual([undefined, ["restricted"]]);
  });

  it("gives a delegate no more than every agent before it has", () => {
    const delegate = agent("ann", { id: "agent:researcher", chain: ["agent:bailiwick"] });
    expect(identify(delegate, "agent")).toMatchObject({
      roles: [],
      permissions: ["a:b", "service:dispatch"],
      maxRiskTier: "low",
      clearances: ["restricted", "public"],
    });
  });

  it("names the program that called, also one with a person's key behind an MCP client", () => {
    expect(identify(agent("owner", { door: "mcp" }), "agent")).toMatchObject({
      id: "agent:bailiwick",
      onBehalfOf: "person:owner",
      chain: [{ id: "agent:mcp-client" }],
    });
    expect(identify(agent("bot", { id: "agent:researcher", chain: ["agent:bailiwick"] }), "agent")).toMatchObject({
      permissions: ["c:d"],
      chain: [{ id: "agent:bot" }, { id: "agent:bailiwick" }],
    });
  });

  it("is nobody as soon as the key behind it is revoked", () => {
    const presented = agent("gone");
    keys.set("gone", key({ name: "gone" }));
    expect(identify(presented, "agent")).not.toBeNull();
    keys.delete("gone");
    expect(identify(presented, "agent")).toBeNull();
    expect(identify.knows(presented)).toBe(false);
  });

  it("is of the workspace that was asked for behind it, and of none that it is no member of", () => {
    const behind = (workspace: string): Presented => ({ kind: "bearer", token: "owner", workspace });
    expect(identify(agent("", { behind: behind("ws_other") as never }), "agent")?.workspace).toBe("ws_other");
    expect(identify(agent("", { behind: behind("ws_none") as never }), "agent")).toBeNull();
  });

  it("is an agent for the local user, at the terminal and under --no-auth, whatever it is called", () => {
    const local = agent("", { behind: { kind: "local" }, door: "cli" });
    expect(identify(local, "agent")).toMatchObject({ kind: "agent", onBehalfOf: "person:owner", roles: ["helper"] });
    const odd = identify({ ...local, id: "agent:an odd name" }, "agent");
    expect(odd).toMatchObject({ kind: "agent", onBehalfOf: "person:owner", roles: [] });
    noAuth = true;
    expect(identify(agent("", { behind: { kind: "none" } }), "agent")).toMatchObject({
      onBehalfOf: "person:local",
      assurance: "local",
    });
    noAuth = false;
  });

  it("is the same object each time, so that what is kept by it is kept", () => {
    expect(identify(agent("owner"), "agent")).toBe(identify(agent("owner"), "agent"));
    expect(identify(agent("owner"), "agent")).not.toBe(identify(agent("bot"), "agent"));
  });
});
