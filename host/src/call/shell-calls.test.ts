import { expect, it } from "vitest";
import type { Door } from "../kernel/principal.ts";
import { openPath, result } from "./path-for-tests.ts";

it.each<Door>(["mcp", "rest", "cli", "program"])(
  "a shell command that comes by %s is refused, recorded and never sent",
  async (door) => {
    const path = openPath(() => result('{"content":[]}'));
    path.add("ws_default", "bash");
    for (const call of [{ name: "bash__t" }, { name: "t", provider: "bash" }]) {
      const { ending, evidenceId } = await path.call({ door, provider: null, ...call });
      expect(ending).toMatchObject({ kind: "refusal", refusal: { kind: "escalation_required" }, stage: 8 });
      expect(evidenceId).not.toBeNull();
    }
    expect(path.sent).toEqual([]);
    expect(path.events.map(({ type }) => type)).toEqual(["execution_denied", "execution_denied"]);
    path.close();
  },
);
