import { describe, expect, it } from "vitest";
import type { Door, Presented, Principal } from "../../kernel/principal.ts";
import { signerOf } from "../../kernel/signing.ts";
import type { Credential } from "./credential.ts";
import { createIdentify } from "./identify.ts";
import { readChpKeys } from "./read-chp-keys.ts";

const key = (more: Partial<Credential> & Pick<Credential, "name" | "as">): Credential => ({
  for: null,
  scopes: null,
  permissions: [],
  workspace: "ws_default",
  ...more,
});

const KEYS: Readonly<Record<string, Credential>> = {
  owner: key({ name: "owner", as: "person:owner", permissions: ["*"] }),
  maria: key({ name: "maria", as: "person:maria", permissions: ["evidence:read"] }),
  planner: key({ name: "planner", as: "agent:planner", for: "person:maria", scopes: ["shop__*"], workspace: "ws_lab" }),
};

const identify = createIdentify({
  findKey: (secret) => KEYS[secret] ?? null,
  noAuth: () => false,
  isMember: () => true,
  hostId: "h",
  principals: {
    "person:maria": { roles: ["manager"], permissions: ["approvals:decide"], max_risk_tier: "medium" },
    "person:a%2Fb": { roles: ["guest"], permissions: [] },
    runner: { roles: [], permissions: ["evidence:read"] },
  },
  chpKeys: readChpKeys(["runner:k", "scoped:sk:conformance.echo"], { env: {}, loopback: true }).keys,
  tokens: { partner: signerOf(Buffer.alloc(32, 1)).publicKey },
});

const named = (name: string, who = "owner", door: Door = "rest"): Principal | null => {
  const presented: Presented = who === "local" ? { kind: "local" } : { kind: "bearer", token: who };
  const asker = identify(presented, door);
  if (asker === null) throw new Error(`${who} is nobody`);
  return identify.named(name, { asker, presented, door, keys: Object.values(KEYS) });
};

describe("somebody who is named", () => {
  it("is whom their own key makes them, in the workspace of whoever asks", () => {
    expect(named("agent://planner")).toMatchObject({
      id: "agent:planner",
      onBehalfOf: "person:maria",
      scopes: ["shop__*"],
      maxRiskTier: "medium",
      workspace: "ws_default",
    });
    expect(named("person:maria")).toBe(identify({ kind: "bearer", token: "maria" }, "rest"));
  });

  it.each(["runner", "service:runner", "service://runner"])("is whom a key of CHP makes them, as %s", (name) => {
    expect(named(name)).toEqual(identify({ kind: "chp-key", text: "runner:k" }, "chp"));
    expect(named(name)).toMatchObject({
      subject: { id: "runner", type: "api_key" },
      onBehalfOf: null,
      permissions: ["evidence:read"],
    });
  });

  it("has the scopes of its key of CHP, and the name that a token of CHP has", () => {
    expect(named("scoped")).toMatchObject({ id: "service:scoped", scopes: ["conformance.echo"] });
    expect(named("partner")).toMatchObject({ id: "service:partner", subject: { id: "partner", type: "auth_token" } });
  });

  it.each([
    ["maria", "person:maria"],
    ["owner", "person:owner"],
    ["local", "person:owner"],
  ])("is, as the client of MCP, what that door makes of %s", (who, person) => {
    const client = named("agent:mcp-client", who);
    const presented: Presented = who === "local" ? { kind: "local" } : { kind: "bearer", token: who };
    expect(client).toBe(identify(presented, "mcp"));
    expect(client).toMatchObject({ id: "agent:mcp-client", onBehalfOf: person });
  });

  it("is, as the client of MCP and asked by a program, that of the person it acts for", () => {
    const client = named("agent:mcp-client", "planner");
    expect(client).toMatchObject({ id: "agent:mcp-client", onBehalfOf: "person:maria", workspace: "ws_lab" });
    expect(identify.factsBehind(client!)?.permissions).toEqual(["evidence:read", "approvals:decide"]);
  });

  it("may be known by a token of an issuer alone", () => {
    expect(named("person:a%2Fb")).toMatchObject({ id: "person:a%2Fb", onBehalfOf: null, roles: ["guest"] });
    expect(named("service:%6Cocal")).toMatchObject({ id: "service:%6Cocal", onBehalfOf: null, permissions: [] });
  });

  it("has nothing but what the configuration says where there is no credential yet", () => {
    expect(named("agent:new")).toMatchObject({ id: "agent:new", onBehalfOf: "person:owner", permissions: [] });
    expect(named("app:board", "maria")).toMatchObject({ id: "app:board", onBehalfOf: "person:maria" });
  });

  it.each(["nobody", "k", "agnet:x", "person:", "", "a b"])("is nobody as %j", (name) => {
    expect(named(name)).toBeNull();
  });
});
