/** What a tool of compose answered. */
import type { CallReport } from "../assembly/reached-host.ts";
import { isObject } from "../kernel/is-object.ts";

export type Members = Readonly<Record<string, unknown>>;

export interface ComposeCalled {
  readonly tool: string;
  readonly args: Members;
  readonly report: CallReport;
}

type WithText<Name extends string> = Members & Readonly<Record<Name, string>>;

const hasText = <Name extends string>(value: Members, name: Name): value is WithText<Name> =>
  typeof value[name] === "string";

/** What it says, if it was done and has this text; null: it was not. */
export const readComposeAnswer = <Name extends string>(
  { report }: ComposeCalled,
  name: Name,
): WithText<Name> | null => {
  const { ending } = report.answer;
  if (ending.kind !== "result" || ending.isError) return null;
  const { structuredContent: said } = JSON.parse(report.json) as Members;
  return isObject(said) && said["success"] === true && hasText(said, name) ? said : null;
};
