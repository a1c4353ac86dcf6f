/** `bailiwick explain <provider__tool> [json]`: every stage's verdict on a call; nothing is done and nothing sent. */
import type { CheckStatus, Explanation } from "../kernel/explanation.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { textFlag } from "./flags.ts";
import { reach } from "./reach.ts";
import { readArguments } from "./read-arguments.ts";
import { renderTable } from "./table.ts";
import { visibleText } from "./visible-text.ts";

export const runExplain: RunCommand = async (context) => {
  const [tool = "", word] = context.args;
  const args = await readArguments({ word, cwd: context.cwd, stdin: context.stdin });
  const provider = tool.split("__", 1)[0] ?? tool;
  const as = textFlag(context, "as");
  return reach(context, { provider }, async (host) => {
    const explanation = await host.explain(tool, args, as === undefined ? {} : { as });
    if (context.json) context.terminal.raw(`${JSON.stringify(explanation, null, 2)}\n`);
    else show(context, tool, explanation);
    return EXIT.done;
  });
};

const COLOURS = { pass: "green", fail: "red", warn: "yellow", not_evaluated: "dim" } as const;
const VERDICTS = { run: "would run", wait: "would wait for a person", refuse: "would be refused" } as const;
const STATUS_COLUMN = 2;

const show = ({ terminal }: CommandContext, asked: string, explanation: Explanation): void => {
  const { paint, width } = terminal;
  const { tool, principal, verdict, stages, next } = explanation;
  terminal.out(
    `${paint.bold(visibleText(tool ?? asked))} by ${visibleText(principal)} ${VERDICTS[verdict]}${decidedBy(explanation)}`,
  );
  const cells = stages.map(({ stage, name, check, status, why, next: step }) =>
    [`${stage} ${name}`, check, status, step === undefined ? why : `${why} → ${step}`].map(visibleText),
  );
  const lines = renderTable([["stage", "check", "verdict", "why"], ...cells], {
    width,
    paint: (cell, column, row) => {
      if (row === 0) return paint.dim(cell);
      return column === STATUS_COLUMN ? paint[COLOURS[cell as CheckStatus]](cell) : cell;
    },
  });
  for (const line of lines) terminal.out(line);
  if (next !== null) terminal.out(`→ ${visibleText(next.do)} (${visibleText(next.fixer)})`);
};

const decidedBy = ({ decided_by: decided }: Explanation): string =>
  decided === null ? "" : ` (stage ${decided.stage}, ${visibleText(decided.name)}: ${visibleText(decided.rule)})`;
