import { describe, expect, it } from "vitest";
import type { ProviderRow } from "../assembly/host.ts";
import type { ProviderState, ProviderStatus } from "../kernel/provider.ts";
import { describeProvider } from "./provider-line.ts";
import { createProviderWatch } from "./provider-watch.ts";
import { createTerminal } from "./terminal.ts";

const { paint } = createTerminal({ stdout: { write: () => true }, stderr: { write: () => true }, env: {} });

const row = (name: string, state: ProviderState, status: Partial<ProviderStatus> = {}): ProviderRow => ({
  name,
  tools: 3,
  status: {
    state,
    reason: null,
    next: null,
    since: 1,
    retryAfterMs: null,
    version: null,
    restartsInWindow: 0,
    lastError: null,
    ...status,
  },
});

describe("watching the providers", () => {
  it("tells of each once, and again only when there is something new", () => {
    const watch = createProviderWatch();
    const look = (...rows: ProviderRow[]): string[] => watch.look(rows).map(({ status }) => status.state);
    expect(look(row("a", "starting"))).toEqual([]);
    expect(look(row("a", "running"))).toEqual(["running"]);
    expect(look(row("a", "running"))).toEqual([]);
    expect(look(row("a", "crashed", { reason: "exit 1" }))).toEqual(["crashed"]);
    expect(look(row("a", "starting"))).toEqual([]);
    expect(look(row("a", "crashed", { reason: "exit 1", since: 2 }))).toEqual([]);
    expect(look(row("a", "crashed", { reason: "exit 2", since: 3 }))).toEqual(["crashed"]);
    expect(look(row("a", "running", { since: 4 }))).toEqual(["running"]);
    expect(look(row("a", "running", { since: 5 }))).toEqual(["running"]);
  });

  it("says once that all have settled", () => {
    const watch = createProviderWatch();
    expect(watch.settled([])).toBe(false);
    expect(watch.settled([row("a", "running"), row("b", "starting")])).toBe(false);
    expect(watch.settled([row("a", "running"), row("b", "dead")])).toBe(true);
    expect(watch.settled([row("a", "running"), row("b", "dead")])).toBe(false);
  });
});

describe("the line about a provider", () => {
  it("counts the tools of a running one", () => {
    expect(describeProvider(row("files", "running"), paint)).toBe("  files            running  3 tools");
  });

  it("gives the reason and the next step of any other", () => {
    const line = describeProvider(row("files", "dead", { reason: "it crashed 5 times", next: "Look at it." }), paint);
    expect(line).toBe("  files            dead     it crashed 5 times.\n                   → Look at it.");
  });
});
