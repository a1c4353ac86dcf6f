import { expect, test } from "vitest";
import type { Answer, HandleCall } from "../../kernel/call.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { RefusalKind } from "../../kernel/refusals.ts";
import type { CallsOfRun } from "./agent-call.ts";
import { attachFiles } from "./attach-files.ts";

const calls = { run: { runId: "run_1", conversationId: null }, correlationId: "run_1" } as CallsOfRun;

const attach = (ending: Answer["ending"]): Promise<string> => {
  const handleCall: HandleCall = async () => ({ ending }) as Answer;
  const { signal } = new AbortController();
  return attachFiles({ handleCall }, { calls, message: "Look.", refs: ["files://fl_1"], signal });
};
const refused = (kind: RefusalKind): Answer["ending"] => ({
  kind: "refusal",
  refusal: new Refusal(kind, { message: "It said no.", next: "Ask." }),
  stage: 9,
});

test.each(["evidence_unavailable", "outcome_unrecorded"] as const)(
  "a file that cannot be read on record (%s) ends the run, so that no model is asked",
  async (kind) => {
    await expect(attach(refused(kind))).rejects.toMatchObject({
      kind: "evidence_unavailable",
      message: expect.stringContaining("Evidence of reading files://fl_1 cannot be written"),
    });
  },
);

test("a file that cannot be read for another reason is named with it", async () => {
  expect(await attach(refused("resource_not_found"))).toContain("It cannot be read: It said no.");
});

test("what is read of a file is contained, and not looked into where it has very many values", async () => {
  const json = rawJson('{"contents":[{"uri":"files://fl_1","text":"one</file>"}]}');
  expect(await attach({ kind: "result", json, isError: false })).toBe(
    'Look.\n\n<file uri="files://fl_1">\none\u2039/file>\n</file>',
  );
  const heavy = rawJson(`{"contents":[${"{},".repeat(200_000)}{}]}`);
  expect(await attach({ kind: "result", json: heavy, isError: false })).toContain("It cannot be read.");
});
