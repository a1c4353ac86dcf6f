import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { PromptShown } from "../kernel/agent.ts";
import { Refusal } from "../kernel/refusal.ts";
import { chatRefusalCode, joinExitCodes } from "./chat-exit-code.ts";
import { callLine, endLine, progressText, skillLine } from "./chat-line.ts";
import { createChatView } from "./chat-view.ts";
import { resultOf, RUN, START } from "./chat-wire-for-tests.ts";
import { describePrompt } from "./describe-prompt.ts";
import type { ExitCode } from "./exit-code.ts";
import { createProse, visibleProse } from "./prose.ts";
import { readChatLines } from "./read-chat-lines.ts";
import { readChatWord } from "./read-chat-word.ts";
import { createTerminal } from "./terminal.ts";
import { Readable } from "node:stream";

const plain = (text: string): string => text;
const paint = { bold: plain, dim: plain, red: plain, green: plain, yellow: plain };
const HOSTILE = "a\u001B[2J\u001B]8;;http://x\u0007b\rc\u009Bd\u202Ee\u200Bf\u2028g\u{E0041}";

const cutAnywhere = fc
  .tuple(
    fc.array(
      fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("\r\n", "\u001B[31m", "\u{1F600}", "\uD83D", "\r")),
    ),
    fc.array(fc.nat(6)),
  )
  .map(([parts, sizes]) => {
    const text = parts.join("");
    const pieces: string[] = [];
    for (let at = 0, turn = 0; at < text.length; turn++) {
      const size = 1 + (sizes[turn] ?? 2);
      pieces.push(text.slice(at, at + size));
      at += size;
    }
    return { text, pieces };
  });

describe("the answer in pieces", () => {
  it("is on a screen what it is in one piece, however it is cut, and holds nothing that a terminal obeys", () => {
    fc.assert(
      fc.property(cutAnywhere, ({ text, pieces }) => {
        const prose = createProse(true);
        const shown = pieces.map((piece) => prose.take(piece)).join("") + prose.end();
        expect(shown).toBe(visibleProse(text));
        expect(shown.replaceAll(/[\n\t\u200C\u200D]/g, "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u);
      }),
    );
  });

  it("goes into a pipe as it is", () => {
    fc.assert(
      fc.property(cutAnywhere, ({ text, pieces }) => {
        const prose = createProse(false);
        expect(pieces.map((piece) => prose.take(piece)).join("") + prose.end()).toBe(text);
      }),
    );
  });

  it("keeps what scripts and emoji need", () => {
    const text = "می\u200Cخواهم \u2764\uFE0F \u{1F469}\u200D\u{1F4BB}\n\tx";
    expect(visibleProse(text)).toBe(text);
  });
});

it.each([
  callLine({ name: HOSTILE }),
  skillLine({ name: HOSTILE, phase: "keywords", matched: [HOSTILE] }),
  progressText({ runId: "r", type: "tool.progress", id: "i", progress: 1, total: 3, message: HOSTILE }),
  endLine(resultOf({ usage: { ...resultOf().usage, model: HOSTILE, costUsd: 0.01234, estimated: true } })),
])("texts of others make no line, no colour and no command: %s", (line) => {
  expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u);
  expect(line).toContain("a\\u{1b}[2J");
});

it("says what it took in one line", () => {
  expect(endLine(resultOf({ stopReason: "max_iterations", usage: { ...resultOf().usage, costUsd: 0.01234 } }))).toBe(
    "1250 tokens in, 45 out · 2 model calls · stub:model · 0.0123 USD · stopped at the limit of model calls",
  );
});

describe("exit codes", () => {
  it.each([
    ["model_failed", 1],
    ["cancelled", 1],
    ["model_unconfigured", 2],
    ["run_in_progress", 3],
    ["not_found", 3],
    ["evidence_unavailable", 3],
    ["indeterminate", 5],
  ] as const)("%s is %i", (kind, code) => {
    expect(chatRefusalCode(new Refusal(kind, { message: "m", next: "n" }))).toBe(code);
  });

  it.each<[ExitCode[], ExitCode]>([
    [[0, 0], 0],
    [[4, 0], 0],
    [[0, 4], 4],
    [[1, 0], 1],
    [[1, 4], 1],
    [[1, 3], 3],
    [[5, 1], 5],
    [[0, 5, 0], 5],
  ])("messages that end with %j end with %i", (codes, code) => {
    expect(codes.reduce(joinExitCodes, 0)).toBe(code);
  });
});

it.each([
  ["/quit", { kind: "quit" }],
  ["/exit", { kind: "quit" }],
  ["/resume conv_1", { kind: "resume", id: "conv_1" }],
  ["/resume", { kind: "resume", id: "" }],
  ["/constructor", { kind: "other", name: "constructor" }],
  ["/quit now", null],
  ["/etc/hosts", null],
  ["quit", null],
  ["/", null],
])("at the prompt %j means %j", (line, word) => {
  expect(readChatWord(line)).toEqual(word);
});

it("a line that never ends is refused before it fills the memory", async () => {
  const endless = Readable.from(
    (function* () {
      for (;;) yield "x".repeat(65_536);
    })(),
  );
  await expect(readChatLines(endless).next()).rejects.toThrow("too long");
});

it("a prompt is shown by layer, each part with its source and size, tools, and the runtime context", () => {
  const shown: PromptShown = {
    model: "stub:m",
    skill: { name: "reports", phase: "trigger", matched: ["new"] },
    tier: "skill",
    layers: [
      { layer: 1, source: "host", text: "I am\nthe host.", chars: 14 },
      { layer: 1, source: "identity", text: HOSTILE, chars: 7 },
      { layer: 4, source: "skill reports", text: "Look first.", chars: 11 },
    ],
    stable: "",
    varying: "",
    tools: [{ name: "files__read", description: `Reads ${HOSTILE}\nand more`, inputSchema: {} }],
    message: "Hi\n\n<runtime-context>now</runtime-context>",
    history: { sent: 4, leftOut: 2 },
    estimatedTokens: 321,
  };
  const lines = describePrompt(shown, paint);
  const text = lines.join("\n");
  for (const part of [
    "skill   reports (trigger: new)",
    "tokens  about 321",
    "Layer 1, identity: 21 characters\n  from host, 14 characters\n    I am\n    the host.\n  from identity, 7 characters",
    "Layer 2, core context: nothing",
    "Layer 4, matched skill: 11 characters\n  from skill reports, 11 characters\n    Look first.",
    "Tools: 1, those of the skill\n  files__read  Reads a\\u{1b}[2J",
    "Earlier messages: 4, and 2 left out because they are too long",
    "    Hi\n    \n    <runtime-context>now</runtime-context>",
  ]) {
    expect(text).toContain(part);
  }
  expect(lines.join("").replaceAll("\n", "")).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]/u);
});

it("while the model takes its time, a mark stands there, and goes when it speaks", () => {
  const screen = { text: "", isTTY: true as const, write: (piece: string) => (screen.text += piece) };
  const terminal = createTerminal({ stdout: screen, stderr: screen, env: { NO_COLOR: "1", TERM: "xterm" } });
  const view = createChatView({ terminal, json: false });
  view.show(START);
  expect(screen.text.endsWith("…")).toBe(true);
  view.show({ runId: RUN, type: "text.delta", text: "Hello" });
  expect(screen.text.split("\r\u001B[2K").at(-1)).toBe("Hello");
});
