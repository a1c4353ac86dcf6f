/** The file of `policy test`: a list of calls, each with what is to become of it. */
import { UsageError } from "./usage-error.ts";

export interface PolicyCase {
  readonly as: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly expect: "run" | "wait" | "refuse";
  /** That decides; absent: any. */
  readonly rule?: string;
}

const EXAMPLE = '[{"as":"agent:planner","tool":"billing__refund","arguments":{"amount":500},"expect":"wait"}]';
const MEMBERS: readonly string[] = ["as", "tool", "arguments", "expect", "rule"];
const EXPECTED: ReadonlySet<unknown> = new Set(["run", "wait", "refuse"]);

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const readPolicyCases = (text: string, file: string): readonly PolicyCase[] => {
  let value: unknown;
  try {
    value = JSON.parse(text.startsWith("\uFEFF") ? text.slice(1) : text);
  } catch (error) {
    throw new UsageError(`${file}: not JSON: ${(error as Error).message}`, `Write a list of cases: ${EXAMPLE}`);
  }
  if (!Array.isArray(value)) throw new UsageError(`${file}: expected a list.`, `Write a list of cases: ${EXAMPLE}`);
  return value.map((item: unknown, index) => readCase(item, `${file}: case ${index + 1}`));
};

const readCase = (item: unknown, place: string): PolicyCase => {
  if (!isObject(item)) throw new UsageError(`${place} is no object.`, `Write it as in: ${EXAMPLE}`);
  const { as, tool, arguments: args = {}, expect, rule } = item;
  const unknown = Object.keys(item).find((key) => !MEMBERS.includes(key));
  if (unknown !== undefined) throw new UsageError(`${place} has "${unknown}".`, `Use: ${MEMBERS.join(", ")}.`);
  if (typeof as !== "string" || as === "") throw new UsageError(`${place} lacks "as".`, 'Name a principal: "agent:x"');
  if (typeof tool !== "string" || tool === "") throw new UsageError(`${place} lacks "tool".`, "Name a provider__tool");
  if (!isObject(args)) throw new UsageError(`${place}: "arguments" is no object.`, "Write an object, or leave it out.");
  if (!EXPECTED.has(expect)) throw new UsageError(`${place} lacks "expect".`, "Write run, wait or refuse.");
  if (rule !== undefined && typeof rule !== "string") {
    throw new UsageError(`${place}: "rule" is no text.`, "Name the rule that decides, or leave it out.");
  }
  return { as, tool, arguments: args, expect: expect as PolicyCase["expect"], ...(rule === undefined ? {} : { rule }) };
};
