/** Whatever a model, a tool or a skill is called or says, a line beside the answer stays one line that a terminal only shows. */
import fc from "fast-check";
import { expect, it } from "vitest";
import { callLine, doneLines, endLine, progressText, skillLine } from "./chat-line.ts";
import { resultOf } from "./chat-wire-for-tests.ts";

const STEERING = [
  "\u001B[2J",
  "\u001B]0;title\u0007",
  "\u009B31m",
  "\r",
  "\n",
  "\b\b",
  "\u202E",
  "\u2066",
  "\u200B",
  "\u{E0041}",
];
const text = fc
  .array(fc.oneof(fc.constantFrom(...STEERING), fc.string({ unit: "binary", maxLength: 6 })), { maxLength: 6 })
  .map((pieces) => pieces.join(""));
const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
const plain = (line: string): string => line;
const paint = { bold: plain, dim: plain, red: plain, green: plain, yellow: plain };
const runId = "run_1";

it("a line about a call, its progress, its end, a skill or what it took holds nothing that a terminal obeys", () => {
  fc.assert(
    fc.property(text, text, fc.boolean(), (name, said, ok) => {
      const result = { content: [{ type: "text", text: said }], _meta: { [said]: said } };
      const done = { type: "tool.done", runId, id: said, name, ok, ms: 1, result, evidenceId: said } as const;
      const lines = [
        callLine({ name, parentRunId: said }),
        progressText({ type: "tool.progress", runId, id: said, progress: 1, message: said }),
        skillLine({ name, phase: "trigger", matched: [said] }),
        ...doneLines({ ...done, outcome: "failure" }, { paint, approvalId: null }),
        ...doneLines({ ...done, outcome: "indeterminate" }, { paint, approvalId: null }),
        ...doneLines({ ...done, ok: false, outcome: "denied", code: "approval_pending" }, { paint, approvalId: said }),
        ...doneLines({ ...done, ok: false, outcome: "denied", code: "policy_denied" }, { paint, approvalId: null }),
        endLine({ ...resultOf(), usage: { ...resultOf().usage, model: said } }),
      ];
      expect(lines.filter((line) => UNSEEN.test(line))).toEqual([]);
    }),
    { numRuns: 500 },
  );
});
