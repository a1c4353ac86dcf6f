import { beforeEach, describe, expect, it } from "vitest";
import type { RawCall } from "../../kernel/call.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { createIdentify, createIdentity, type Credential } from "./identify.ts";
import { parsePrincipal } from "./parse-principal.ts";

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
  sales: key({ name: "sales", as: "agent:sales", for: null, workspace: "ws_sales" }),
  svc: key({ name: "svc", as: "service:billing", for: null }),
};
let noAuth = false;
const members: Record<string, readonly string[]> = {};
const identify = createIdentify({
  findKey: (secret) => KEYS[secret] ?? null,
  noAuth: () => noAuth,
  isMember: (workspace, { id, onBehalfOf, permissions }) =>
    members[workspace] !== undefined &&
    (permissions.includes("*") || [id, onBehalfOf ?? ""].some((each) => members[workspace]?.includes(each))),
});
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

describe("identify in another workspace than the credential's own", () => {
  const inside = (token: string, workspace: string) => ({ ...bearer(token), workspace });
  const refusalOf = (presented: RawCall["presented"]): Refusal => {
    try {
      createIdentity(identify)({ presented, door: "mcp", verified: null } as unknown as RawCall);
    } catch (no) {
      return no as Refusal;
    }
    throw new Error("was not refused");
  };
  beforeEach(() => {
    members["ws_sales"] = ["agent:bot", "agent:sales"];
    members["ws_ops"] = ["person:owner"];
    members["ws_default"] = [];
  });

  it("gives a member there what the key says everywhere, the same object each time", () => {
    const there = identify(inside("bot", "ws_sales"), "mcp");
    expect(there).toEqual({ ...identify(bearer("bot"), "mcp"), workspace: "ws_sales" });
    expect(identify(inside("bot", "ws_sales"), "mcp")).toBe(there);
    expect(identify(bearer("bot"), "mcp")?.workspace).toBe("ws_default");
    expect(identify(inside("bot", "ws_default"), "mcp")).toBe(identify(bearer("bot"), "mcp"));
  });

  it("lets in who acts for a member, and who may do everything", () => {
    expect(identify(inside("bot", "ws_ops"), "mcp")?.workspace).toBe("ws_ops");
    expect(identify(inside("owner", "ws_sales"), "mcp")).toMatchObject({
      id: "agent:mcp-client",
      workspace: "ws_sales",
    });
  });

  it("knows nobody there who is no member, and nobody anywhere that is not", () => {
    expect(identify(inside("svc", "ws_sales"), "rest")).toBeNull();
    expect(identify(inside("owner", "ws_none"), "rest")).toBeNull();
    expect(identify(inside("nobody", "ws_sales"), "rest")).toBeNull();
  });

  it("asks each time: who is taken off the list is out at once", () => {
    expect(identify(inside("bot", "ws_sales"), "mcp")).not.toBeNull();
    members["ws_sales"] = [];
    expect(identify(inside("bot", "ws_sales"), "mcp")).toBeNull();
  });

  it("leaves a key of a workspace there, and lets it into the default one only as a member", () => {
    expect(identify(bearer("sales"), "mcp")?.workspace).toBe("ws_sales");
    expect(identify(inside("sales", "ws_default"), "mcp")).toBeNull();
  });

  it("knows a key of a workspace there no more once its holder is no member, or the workspace is gone", () => {
    const own = identify(bearer("sales"), "mcp");
    expect(own?.workspace).toBe("ws_sales");
    expect(identify(inside("sales", "ws_sales"), "mcp")).toBe(own);
    members["ws_ops"] = ["agent:sales"];
    for (const gone of [() => void (members["ws_sales"] = ["agent:bot"]), () => delete members["ws_sales"]]) {
      gone();
      expect(identify(bearer("sales"), "mcp")).toBeNull();
      expect(identify(inside("sales", "ws_sales"), "mcp")).toBeNull();
      expect(identify(inside("sales", "ws_ops"), "mcp")?.workspace).toBe("ws_ops");
      expect(refusalOf(bearer("sales")).kind).toBe("not_found");
    }
  });

  it("lets the local user into every workspace that there is, under any name", () => {
    for (const principal of ["agent:planner", undefined]) {
      const presented = { kind: "local", ...(principal && { principal }) } as const;
      expect(identify({ ...presented, workspace: "ws_sales" }, "cli")?.workspace).toBe("ws_sales");
      expect(identify({ ...presented, workspace: "ws_none" }, "cli")).toBeNull();
    }
    noAuth = true;
    expect(identify({ kind: "none", workspace: "ws_sales" }, "mcp")).toMatchObject({
      id: "agent:local",
      permissions: [],
      workspace: "ws_sales",
    });
    noAuth = false;
  });

  it("refuses a call there in the same words whether or not it exists", () => {
    const [hidden, unknown] = [refusalOf(inside("svc", "ws_sales")), refusalOf(inside("svc", "ws_none"))];
    expect(hidden.kind).toBe("not_found");
    expect([hidden.message, hidden.next, hidden.details]).toEqual([unknown.message, unknown.next, unknown.details]);
    expect(refusalOf(inside("nobody", "ws_sales")).kind).toBe("unauthenticated");
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
