import { expect, it } from "vitest";
import type { Door } from "../kernel/principal.ts";
import { openPath, result } from "./path-for-tests.ts";

const NAMES = [{ name: "bash__t" }, { name: "t", provider: "bash" }];

it("a shell command of a program waits for a person's yes to that very command; nothing is sent", async () => {
  const path = openPath(() => result('{"content":[]}'));
  path.add("ws_default", "bash");
  const asked = new Set<unknown>();
  for (const call of NAMES) {
    const { ending, evidenceId } = await path.call({ door: "mcp", provider: null, ...call });
    expect(ending).toMatchObject({ kind: "refusal", refusal: { kind: "approval_pending" }, stage: 8 });
    if (ending.kind === "refusal") asked.add(ending.refusal.details["approval_id"]);
    expect(evidenceId).not.toBeNull();
  }
  expect(asked.size).toBe(1);
  expect(path.sent).toEqual([]);
  expect(path.events.map(({ type }) => type)).toEqual(["approval_requested", "execution_denied", "execution_denied"]);
  path.close();
});

it.each<Door>(["rest", "cli", "program"])("a person who calls by %s needs nobody else's yes", async (door) => {
  const path = openPath(() => result('{"content":[]}'));
  path.add("ws_default", "bash");
  for (const call of NAMES)
    expect(await path.call({ door, provider: null, ...call })).toMatchObject({ outcome: "success" });
  expect(path.sent).toHaveLength(2);
  path.close();
});
