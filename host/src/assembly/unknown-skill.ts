/** The "no" to a name that no skill has, with the nearest one that one has. */
import { nearest } from "@bailiwick/contract";
import { Refusal } from "../kernel/refusal.ts";

export const unknownSkill = (name: string, names: readonly string[]): Refusal => {
  const near = nearest(name, names, 2);
  const guess = near === null ? "" : ` Did you mean ${JSON.stringify(near)}?`;
  return new Refusal("not_found", {
    message: `There is no skill ${JSON.stringify(name.slice(0, 64))}.${guess}`,
    next: "List them: bailiwick skill list",
  });
};
