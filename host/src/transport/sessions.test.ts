import { afterEach, describe, expect, it } from "vitest";
import { NOTHING_DECLARED } from "../kernel/ask.ts";
import type { Principal } from "../kernel/principal.ts";
import { Sessions, type Session } from "./sessions.ts";

const who = (name: string, workspace = "default"): Principal => ({
  id: `person:${name}`,
  kind: "person",
  onBehalfOf: null,
  roles: [],
  permissions: [],
  assurance: "credential",
  scopes: null,
  workspace,
  credentialId: name,
});

let sessions: Sessions;
const make = (idleSeconds = 1800): Sessions => (sessions = new Sessions({ idleSeconds, holdSeconds: 600 }));
const open = (name: string, workspace = "default"): Session =>
  sessions.open({
    principal: who(name, workspace),
    provider: null,
    version: "2025-11-25",
    declared: NOTHING_DECLARED,
    via: "http",
    notices: [],
  });
const wait = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
afterEach(() => sessions.close());

describe("legacy sessions", () => {
  it("are found by their own principal, workspace and endpoint alone", () => {
    make();
    const { id } = open("a");
    expect(sessions.find(id, who("a"), null)?.id).toBe(id);
    expect(sessions.find(id, who("b"), null)).toBeNull();
    expect(sessions.find(id, who("a", "elsewhere"), null)).toBeNull();
    expect(sessions.find(id, { ...who("a"), onBehalfOf: "person:b" }, null)).toBeNull();
    expect(sessions.find(id, who("a"), "p")).toBeNull();
  });

  it("end when they are idle too long, unless a call of theirs is out", async () => {
    make(0.05);
    const idle = open("a");
    const busy = open("a");
    busy.calls.add({ id: 1, call: new AbortController() });
    await wait(200);
    expect(sessions.size).toBe(1);
    expect(sessions.find(idle.id, who("a"), null)).toBeNull();
    expect(sessions.find(busy.id, who("a"), null)).toBe(busy);
  });

  it("of a busy caller push out idle ones first", () => {
    make();
    const busy = open("a");
    busy.calls.add({ id: 1, call: new AbortController() });
    const idle = open("a");
    for (let i = 0; i < 99; i++) open("a");
    expect(sessions.find(busy.id, who("a"), null)).toBe(busy);
    expect(sessions.find(idle.id, who("a"), null)).toBeNull();
  });

  it("are ten thousand at the most, and forgotten whole when they end", () => {
    make();
    const first = open("p0");
    for (let i = 1; i <= 10_000; i++) open(`p${Math.floor(i / 90)}`);
    expect(sessions.size).toBe(10_000);
    expect(sessions.find(first.id, who("p0"), null)).toBeNull();
    sessions.close();
    expect(sessions.size).toBe(0);
  });

  it("have ids that nobody guesses", () => {
    make();
    const ids = Array.from({ length: 50 }, () => open("a").id);
    expect(new Set(ids).size).toBe(50);
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{32}$/);
  });
});
