import { describe, expect, it } from "vitest";
import type { RawCall } from "../../kernel/call.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { createIdentify, createIdentity, parsePrincipal, type Credential } from "./identify.ts";

const key = (more: Partial<Credential>): Credential => ({
  name: "k",
  as: "agent:k",
  for: "person:owner",
  scopes: null,
  permissions: [],
  workspace: "ws_default",
  ...more,
});

const KEYS: Record<string, Credential> = {
  owner: key({ name: "owner", as: "person:owner", for: null, permissions: ["*"] }),
  bot: key({ name: "bot", as: "agent:bot", scopes: ["echo__*"] }),
  svc: key({ name: "svc", as: "service:billing", for: null }),
};
let noAuth = false;
const identify = createIdentify({ findKey: (secret) => KEYS[secret] ?? null, noAuth: () => noAuth });
const bearer = (token: string) => ({ kind: "bearer", token }) as const;

describe("identify", () => {
  it("makes a person's key an agent of that person behind an MCP client, and the person elsewhere", () => {
    expect(identify(bearer("owner"), "mcp")).toMatchObject({
      id: "agent:mcp-client",
      kind: "agent",
      onBehalfOf: "person:owner",
    });
    expect(identify(bearer("owner"), "rest")).toMatchObject({ id: "person:owner", onBehalfOf: null, roles: ["owner"] });
  });

  it("keeps an agent's and a service's key what they are on every door", () => {
    for (const door of ["mcp", "rest"] as const) {
      expect(identify(bearer("bot"), door)).toMatchObject({
        id: "agent:bot",
        onBehalfOf: "person:owner",
        scopes: ["echo__*"],
      });
      expect(identify(bearer("svc"), door)).toMatchObject({ id: "service:billing", kind: "service", onBehalfOf: null });
    }
  });

  it("knows nobody without a credential or by a wrong one", () => {
    expect(identify({ kind: "none" }, "mcp")).toBeNull();
    expect(identify(bearer("nobody"), "mcp")).toBeNull();
  });

  it("takes everyone for the local user under --no-auth, and never as verified", () => {
    noAuth = true;
    expect(identify({ kind: "none" }, "mcp")).toMatchObject({
      id: "agent:local",
      onBehalfOf: "person:local",
      assurance: "local",
    });
    expect(identify({ kind: "none" }, "rest")).toMatchObject({ id: "person:local", assurance: "local" });
    noAuth = false;
    expect(identify({ kind: "none" }, "rest")).toBeNull();
  });

  it("gives the local user of the process local assurance, also when a program names a principal", () => {
    expect(identify({ kind: "local" }, "cli")).toMatchObject({ id: "person:owner", assurance: "local" });
    expect(identify({ kind: "local", principal: "agent:planner" }, "program")).toMatchObject({
      id: "agent:planner",
      kind: "agent",
      assurance: "local",
      permissions: [],
    });
  });

  it("refuses a call whose key was revoked after the door had seen it", () => {
    const stage = createIdentity(identify);
    const principal = identify(bearer("bot"), "mcp")!;
    const seen = (at: number) => ({ principal, at });
    const raw = { presented: bearer("gone"), door: "mcp", verified: null } as unknown as RawCall;
    expect(() => stage(raw)).toThrow(Refusal);
    expect(() => stage({ ...raw, verified: seen(Date.now() - 1_001) })).toThrow(Refusal);
    expect(stage({ ...raw, verified: seen(Date.now()) }).principal).toBe(principal);
    expect(stage({ ...raw, presented: bearer("bot") }).principal.id).toBe("agent:bot");
  });
});

describe("parsePrincipal", () => {
  it.each([
    ["agent:planner", "agent:planner"],
    ["agent://planner", "agent:planner"],
    ["person:maria", "person:maria"],
    ["bundle:ws_default/echo", "bundle:ws_default/echo"],
  ])("reads %s", (text, id) => expect(parsePrincipal(text)?.id).toBe(id));

  it.each(["planner", "robot:x", "agent:", "agent: x", "agent:x\n", ""])("does not read %j", (text) => {
    expect(parsePrincipal(text)).toBeNull();
  });
});
