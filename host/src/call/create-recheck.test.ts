import { describe, expect, it } from "vitest";
import type { AskAnswer, Asker } from "../kernel/ask.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { caller, openPath, result } from "./path-for-tests.ts";

const DONE = result('{"content":[]}');
const FORM = '{"elicitation":{"form":{}}}';
const signal = new AbortController().signal;

describe("a caller that answers with another credential than it called with", () => {
  const key = (scopes: readonly string[] | null) => {
    const [as, workspace] = ["person:ada", "ws_default"];
    return { name: "k", as, for: null, scopes, permissions: [], workspace };
  };
  const bearer = (token: string) => ({ kind: "bearer", token }) as const;
  /** The first token expires while the question is out; `rounds` are the tokens that answers come with. */
  const converse = async (...rounds: (string | null)[]) => {
    const keys = new Map([
      ["first", key(null)],
      ["fresh", key(null)],
      ["scoped", key(["other__*"])],
    ]);
    const heard: AskAnswer[] = [];
    const answers = [...rounds];
    const path = openPath(
      async ({ asker }) => {
        keys.delete("first");
        for (const _ of rounds) {
          heard.push(await asker.ask({ method: "elicitation/create", params: rawJson("{}"), key: null }, signal));
        }
        return DONE;
      },
      { findKey: (secret) => keys.get(secret) ?? null },
    );
    path.admitted = false;
    const asker: Asker = {
      ...caller(FORM),
      ask: () => {
        const token = answers.shift() ?? null;
        const json = rawJson('{"action":"accept"}');
        return Promise.resolve({ kind: "result", json, ...(token !== null && { presented: bearer(token) }) });
      },
    };
    const { ending } = await path.call({ asker, presented: bearer("first") });
    return { ending, heard };
  };

  it("goes on with a fresh token, also in rounds to which nobody answered", async () => {
    const { ending, heard } = await converse("fresh", null);
    expect(ending).toMatchObject({ kind: "result" });
    expect(heard).toEqual(Array.from({ length: 2 }, () => ({ kind: "result", json: '{"action":"accept"}' })));
  });

  it.each([
    ["scoped", "not_visible"],
    ["unknown", "unauthenticated"],
    [null, "unauthenticated"],
  ])("is refused with the token %s: %s", async (token, kind) => {
    const { ending, heard } = await converse(token);
    expect(ending).toMatchObject({ kind: "refusal", refusal: { kind } });
    expect(heard).toMatchObject([{ json: '{"action":"cancel"}', withdraw: true }]);
  });
});
