import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { StoredCall } from "../../kernel/conversation.ts";
import { JoinedTools } from "./joined-tools.ts";
import { recentTools } from "./recent-tools.ts";

const nothing = (): boolean => false;

describe("tools that were found", () => {
  it("keep their places in the order in which they were found", () => {
    const joined = new JoinedTools(4);
    joined.join(["c", "a"], nothing);
    joined.join(["b", "a"], nothing);
    expect(joined.names()).toEqual(["c", "a", "b"]);
  });

  it("make room by the one that was not used for longest", () => {
    const joined = new JoinedTools(3);
    joined.join(["a", "b", "c"], nothing);
    joined.use("c");
    joined.join(["d"], nothing);
    expect(joined.names()).toEqual(["a", "c", "d"]);
    joined.use("a");
    joined.join(["e", "f"], nothing);
    expect(joined.names()).toEqual(["a", "e", "f"]);
  });

  it("are the best where they are too many at once", () => {
    const joined = new JoinedTools(2);
    joined.join(["a", "b", "c"], nothing);
    expect(joined.names()).toEqual(["a", "b"]);
  });

  it("take no place where they are listed anyway, or where there is none", () => {
    const joined = new JoinedTools(1);
    joined.join(["nb__x", "a"], (name) => name.startsWith("nb__"));
    expect(joined.names()).toEqual(["a"]);
    const none = new JoinedTools(0);
    none.join(["a"], nothing);
    expect(none.names()).toEqual([]);
  });

  it("are never more than there may be, each once, and the one just used is among them", () => {
    const step = fc.array(fc.constantFrom("a", "b", "c", "d", "e", "f"), { maxLength: 8 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 6 }), (most, steps) => {
        const joined = new JoinedTools(most);
        for (const names of steps) {
          joined.join(names, nothing);
          const now = joined.names();
          expect(now.length).toBeLessThanOrEqual(most);
          expect(new Set(now).size).toBe(now.length);
          for (const best of [...new Set(names)].slice(0, most)) expect(now).toContain(best);
          const [used] = names;
          if (used !== undefined) joined.use(used);
        }
      }),
    );
  });
});

it("tools of the last five messages join, the latest first, without calls that were dropped", () => {
  const call = (name: string, more: Partial<StoredCall> = {}): StoredCall => ({
    id: "tc_1",
    name,
    input: {},
    output: "",
    ok: true,
    ms: 1,
    outcome: "success",
    ...more,
  });
  const messages = [
    { toolCalls: [call("too__old")] },
    { toolCalls: [call("a__x"), call("b__x")] },
    {},
    { toolCalls: [call("c__x", { dropped: "token_budget" }), call("a__x")] },
    { toolCalls: [call("d__x", { ok: false })] },
    {},
  ];
  expect(recentTools(messages)).toEqual(["d__x", "a__x", "b__x"]);
});
