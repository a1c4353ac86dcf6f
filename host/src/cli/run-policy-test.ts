/** `bailiwick policy test <file>`: whether a table of calls would end as it says. Nothing is called. */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { ReachedHost } from "../assembly/reached-host.ts";
import type { Explanation } from "../kernel/explanation.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { EXIT } from "./exit-code.ts";
import { reach } from "./reach.ts";
import { readPolicyCases, type PolicyCase } from "./read-policy-cases.ts";
import { UsageError } from "./usage-error.ts";
import { visibleText } from "./visible-text.ts";

interface Tried {
  readonly case: PolicyCase;
  readonly verdict: Explanation["verdict"];
  readonly decided_by: Explanation["decided_by"];
  readonly ok: boolean;
}

export const runPolicyTest: RunCommand = async (context) => {
  const file = resolve(context.cwd, context.args[0] ?? "");
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw new UsageError(`${file} cannot be read: ${error.message}`, "Name a readable file of cases.");
  });
  const cases = readPolicyCases(text, file);
  return reach(context, "all", async (host) => {
    const tried: Tried[] = [];
    for (const each of cases) tried.push(await tryCase(host, each));
    const failed = tried.filter(({ ok }) => !ok).length;
    if (context.json) {
      const report = { passed: tried.length - failed, failed, cases: tried };
      context.terminal.raw(`${JSON.stringify(report, null, 2)}\n`);
    } else show(context, tried);
    return failed === 0 ? EXIT.done : EXIT.failed;
  });
};

const tryCase = async (host: ReachedHost, each: PolicyCase): Promise<Tried> => {
  const { verdict, decided_by: decided } = await host.explain(each.tool, each.arguments, { as: each.as });
  const ok = verdict === each.expect && (each.rule === undefined || each.rule === decided?.rule);
  return { case: each, verdict, decided_by: decided, ok };
};

const show = ({ terminal }: CommandContext, tried: readonly Tried[]): void => {
  const { paint } = terminal;
  for (const each of tried) {
    const { as, tool, expect, rule } = each.case;
    const mark = each.ok ? paint.green("ok  ") : paint.red("FAIL");
    terminal.out(`${mark} ${visibleText(as)} ${visibleText(tool)}: ${withRule(each.verdict, each.decided_by?.rule)}`);
    if (!each.ok) terminal.out(`     expected ${withRule(expect, rule)}, found ${found(each)}`);
  }
  const failed = tried.filter(({ ok }) => !ok).length;
  terminal.note(`${tried.length} cases, ${failed} of them not as expected.`);
};

const withRule = (verdict: string, rule: string | undefined): string =>
  rule === undefined ? verdict : `${verdict} by ${visibleText(rule)}`;

const found = ({ verdict, decided_by: decided }: Tried): string =>
  decided === null ? verdict : `${withRule(verdict, decided.rule)} (stage ${decided.stage}, ${decided.name})`;
