/** `bailiwick doctor`: each check in a line, with its fix. */
import { examine, type Check } from "../assembly/doctor.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { configOptions } from "./open-config.ts";

export const runDoctor: RunCommand = async (context) => {
  const checks = await examine(configOptions(context));
  const count = (state: Check["state"]): number => checks.filter((check) => check.state === state).length;
  const failed = count("fail");
  if (context.json) {
    context.terminal.raw(`${JSON.stringify({ ok: failed === 0, checks }, null, 2)}\n`);
  } else {
    for (const check of checks) show(context, check);
    context.terminal.out();
    context.terminal.out(summarise(failed, count("warn")));
  }
  return failed === 0 ? EXIT.done : EXIT.failed;
};

const STATE_WIDTH = 4;

const show = ({ terminal }: CommandContext, { name, state, message, fix }: Check): void => {
  const { green, yellow, red, dim } = terminal.paint;
  const colour = { ok: green, warn: yellow, fail: red }[state];
  const [head = "", ...rest] = message.split("\n");
  const indent = " ".repeat(STATE_WIDTH + 2);
  terminal.out(`${colour(state.padEnd(STATE_WIDTH))}  ${name}: ${head}`);
  for (const line of rest) terminal.out(`${indent}${line}`);
  if (fix !== null) terminal.out(`${indent}${dim("→")} ${fix}`);
};

const summarise = (failed: number, warned: number): string => {
  if (failed === 0 && warned === 0) return "All is well.";
  const warnings = warned === 1 ? "1 warning" : `${warned} warnings`;
  if (failed === 0) return `Nothing fails; ${warnings}.`;
  return `${failed === 1 ? "1 check fails" : `${failed} checks fail`}; ${warnings}.`;
};
