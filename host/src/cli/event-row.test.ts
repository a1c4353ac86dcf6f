import { describe, expect, it } from "vitest";
import { eventRow } from "./event-row.ts";
import { createTerminal } from "./terminal.ts";

const { paint } = createTerminal({ stdout: { write: () => true }, stderr: { write: () => true }, env: {} });
const row = (event: object): string =>
  eventRow(JSON.stringify({ timestamp: "2026-01-02T03:04:05.678Z", ...event }), paint);

describe("the line about a record", () => {
  it("says when, what, who, through which door and how long", () => {
    const event = {
      sequence: 12,
      event_type: "execution_completed",
      outcome: "success",
      capability_id: "files__read",
      payload: { duration_ms: 7 },
      subject: { id: "agent://mcp-client", on_behalf_of: "person://owner", door: "mcp" },
    };
    expect(row(event).split(/ {2,}/)).toEqual([
      "",
      "12",
      "2026-01-02 03:04:05",
      "completed",
      "files__read",
      "agent:mcp-client for person:owner via mcp",
      "7 ms",
    ]);
  });

  it("gives a refusal's code and reason, and what the host says of itself", () => {
    const denial = { code: "policy_blocked", message: "Not allowed." };
    expect(
      row({ sequence: 1, event_type: "execution_denied", outcome: "denied", capability_id: "a__b", denial }),
    ).toMatch(/ denied +a__b +policy_blocked: Not allowed\.$/);
    const payload = { bundle: "files", message: "files is running" };
    expect(row({ event_type: "dev.bailiwick.bundle_started", capability_id: "dev.bailiwick.host", payload })).toMatch(
      / bundle_started +files +files is running$/,
    );
    const asked = { bundle: "files", by: "agent:ci" };
    expect(
      row({ event_type: "dev.bailiwick.bundle_stop_asked", capability_id: "dev.bailiwick.host", payload: asked }),
    ).toMatch(/ bundle_stop_asked +files +by agent:ci$/);
  });

  it("is a line even when the record holds none of it", () => {
    expect(row({ payload: null, subject: null, error: null })).toContain("2026-01-02 03:04:05");
  });
});
