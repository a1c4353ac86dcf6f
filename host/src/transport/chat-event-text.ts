/** One event of a run as the JSON text of its data. What a tool answered is spliced in as it came; nobody looks into it. */
import type { ToldEvent } from "../kernel/agent.ts";

const UNWRITABLE = JSON.stringify("(This cannot be written out.)");

export const eventText = (event: ToldEvent): string => {
  const { type: _, ...data } = event;
  if (!("resultJson" in data)) return write(data);
  const { resultJson, ...others } = data;
  return resultJson === undefined ? write(others) : `${write(others).slice(0, -1)},"result":${resultJson}}`;
};

/** What cannot be written takes nothing with it: a reader that misses an event would ask for it for ever. */
const write = (data: object): string => {
  try {
    return JSON.stringify(data);
  } catch {
    const members = Object.entries(data).map(([key, value]) => `${JSON.stringify(key)}:${writeMember(value)}`);
    return `{${members.join(",")}}`;
  }
};

const writeMember = (value: unknown): string => {
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    return UNWRITABLE;
  }
};
