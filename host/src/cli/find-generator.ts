/** The generator of a name, or the "no" that says whether its plug-in was rejected or which name was meant. */
import { nearest } from "@bailiwick/contract";
import { Refusal } from "../kernel/refusal.ts";
import type { GeneratorSeen, GeneratorsSeen } from "./read-generators.ts";

export const findGenerator = (type: string, { generators, rejected }: GeneratorsSeen): GeneratorSeen => {
  const found = generators.find((each) => each.type === type);
  if (found !== undefined) return found;
  const broken = rejected.find(({ path }) => path.split("/").at(-1)?.startsWith(`${type}.generator.`));
  if (broken !== undefined) {
    throw new Refusal("not_found", {
      message: `The plug-in ${broken.path} was rejected (${broken.code}): ${broken.message}`,
      next: "Correct the file; the host reads it again by itself. What it says of it then: bailiwick generator list",
    });
  }
  const names = generators.map((each) => each.type);
  const near = nearest(type, names, 2);
  const guess = near === null ? "" : ` Did you mean ${JSON.stringify(near)}?`;
  throw new Refusal("not_found", {
    message: `There is no generator ${JSON.stringify(type.slice(0, 64))}.${guess}`,
    next: "List them: bailiwick generator list",
  });
};
