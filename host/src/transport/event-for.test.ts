import { describe, expect, it } from "vitest";
import type { ApprovalRecord } from "../kernel/approvals.ts";
import type { Principal } from "../kernel/principal.ts";
import { principalName } from "../kernel/principal-name.ts";
import type { Surface } from "../kernel/surface.ts";
import { eventFor } from "./event-for.ts";

const member: Principal = {
  id: "person:ann",
  kind: "person",
  onBehalfOf: null,
  roles: [],
  permissions: [],
  assurance: "credential",
  scopes: null,
  workspace: "ws_default",
  credentialId: "ann",
};
const keeper: Principal = { ...member, permissions: ["bundles:manage"] };
const scoped: Principal = { ...member, scopes: ["p__*"] };

/** By an outward id it may name `r__t`. */
const surfaces: Parameters<typeof eventFor>[2]["surfaces"] = {
  of: () => ({ tool: (flat: string) => (flat === "r__t" ? {} : null) }) as Surface,
  providers: () => [
    {
      name: "p",
      tools: 1,
      status: {
        state: "running",
        reason: null,
        next: null,
        since: 0,
        retryAfterMs: null,
        version: null,
        restartsInWindow: 0,
        lastError: null,
      },
    },
  ],
};

/** Ann may see the approval `a`, and nobody another. */
const asked = { id: "a" } as ApprovalRecord;
const seen: Parameters<typeof eventFor>[2] = {
  surfaces,
  approvals: { get: ({ id }, approval) => (id === "person:ann" && approval === "a" ? asked : null) },
};

const dead = (name: string) => ({ type: "bundle.dead", data: { name, message: "password wrong" } });
const changed = (server: string) => ({ type: "data.changed", data: { server, tool: "t", message: "kept" } });
const rejected = { type: "config.rejected", data: { errors: ["/x"] } };
const pending = (id: string) => ({ type: "approval.pending", data: { id } });

describe("an event", () => {
  it("reaches who steers bundles whole", () => {
    for (const event of [dead("q"), changed("q"), rejected]) {
      expect(eventFor(keeper, event, seen)).toEqual(event);
    }
  });

  it("reaches other members without what a server said, and without the configuration", () => {
    expect(eventFor(member, dead("q"), seen)).toEqual({ type: "bundle.dead", data: { name: "q" } });
    expect(eventFor(member, changed("q"), seen)).toEqual(changed("q"));
    expect(eventFor(member, rejected, seen)).toBeNull();
  });

  it("about an approval reaches who asked for it or may decide it, and nobody else, whatever they steer", () => {
    expect(eventFor(member, pending("a"), seen)).toEqual(pending("a"));
    expect(eventFor(member, pending("b"), seen)).toBeNull();
    expect(eventFor({ ...keeper, id: "person:bob" }, pending("a"), seen)).toBeNull();
    expect(eventFor(member, { type: "approval.decided", data: {} }, seen)).toBeNull();
  });

  it("that a bundle was removed reaches a narrow key that might name it, though it is in no list any more", () => {
    const removed = (name: string) => ({ type: "bundle.uninstalled", data: { name } });
    const gone: typeof seen = { ...seen, surfaces: { ...surfaces, providers: () => [] } };
    for (const scope of ["p__*", "p__one", "*"]) {
      expect(eventFor({ ...member, scopes: [scope] }, removed("p"), gone)).toEqual(removed("p"));
    }
    for (const scopes of [["q__*"], ["p2__*"], ["p"], []]) {
      expect(eventFor({ ...member, scopes }, removed("p"), gone)).toBeNull();
    }
  });

  it("reaches a narrow key only about what it may name", () => {
    expect(eventFor(scoped, dead("p"), seen)).toEqual({ type: "bundle.dead", data: { name: "p" } });
    expect(eventFor(scoped, changed("p"), seen)).toEqual(changed("p"));
    expect(eventFor(scoped, dead("q"), seen)).toBeNull();
    expect(eventFor(scoped, changed("q"), seen)).toBeNull();
  });

  it("about data reaches a narrow key only if it may name that very tool, whatever it steers", () => {
    const one: Principal = { ...keeper, scopes: ["p__one"] };
    const of = (server: string, tool: string) => ({ type: "data.changed", data: { server, tool, origin: "mcp" } });
    expect(eventFor(one, of("p", "one"), seen)).toEqual(of("p", "one"));
    expect(eventFor(one, of("p", "two"), seen)).toBeNull();
    expect(eventFor(one, of("r", "t"), seen)).toEqual(of("r", "t"));
    expect(eventFor({ ...keeper, scopes: [] }, of("p", "one"), seen)).toBeNull();
  });

  it("about a skill reaches a narrow key that may name its tools, and about a conversation whoever sees it", () => {
    const skill = (name: string) => ({ type: "skill.changed", data: { name } });
    const updated = (...authors: string[]) => ({ type: "conversation.updated", data: { id: "conv_1" }, authors });
    expect(eventFor(member, skill("theirs"), seen)).toEqual(skill("theirs"));
    expect(eventFor(scoped, skill("p"), seen)).toEqual(skill("p"));
    expect(eventFor(scoped, skill("theirs"), seen)).toBeNull();
    const own = updated(principalName(member));
    const shared = updated(principalName(member), "person:x");
    for (const seenByMember of [own, shared]) expect(eventFor(member, seenByMember, seen)).toEqual(seenByMember);
    for (const others of [updated("person:nobody"), updated(""), updated()]) {
      expect(eventFor(member, others, seen)).toBeNull();
      expect(eventFor({ ...member, permissions: ["evidence:read"] }, others, seen)).toEqual(others);
    }
    expect(eventFor({ ...scoped, permissions: ["*"] }, own, seen)).toBeNull();
    const narrow = updated(`${principalName(scoped)} key:${scoped.credentialId}`);
    expect(eventFor(scoped, narrow, seen)).toEqual(narrow);
    const mixed = updated(`${principalName(scoped)} key:${scoped.credentialId}`, "person:x");
    expect(eventFor(scoped, mixed, seen)).toBeNull();
  });

  it("that tools changed reaches everybody", () => {
    const event = { type: "surface.changed", data: { version: 2 } };
    expect(eventFor({ ...member, scopes: [] }, event, seen)).toEqual(event);
  });
});
