/** An event of a run as programs get it: what a tool answered is parsed when it is first looked at. */
import type { RunEvent, ToldEvent } from "../kernel/agent.ts";

export const parseTold = (told: ToldEvent): RunEvent => {
  if (told.type !== "tool.done") return told;
  const { resultJson, ...event } = told;
  if (resultJson === undefined) return event;
  let parsed: { readonly result: unknown } | null = null;
  return {
    ...event,
    get result(): unknown {
      parsed ??= { result: JSON.parse(resultJson) as unknown };
      return parsed.result;
    },
  };
};
