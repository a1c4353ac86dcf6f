/** Which generators a reader is told of: a key that may not use all of compose learns of those that every host has. */
import { isInScope } from "../../kernel/may-name.ts";
import type { Principal } from "../../kernel/principal.ts";
import type { GeneratorsSeen } from "../workbench.ts";

const builtIn = new WeakMap<GeneratorsSeen, GeneratorsSeen>();

export const seenBy = ({ scopes }: Principal, seen: GeneratorsSeen): GeneratorsSeen => {
  if (isInScope(scopes, "compose__*")) return seen;
  const known = builtIn.get(seen);
  if (known !== undefined) return known;
  const cut = { generators: seen.generators.filter(({ entry }) => entry.source === "builtin"), rejected: [] };
  builtIn.set(seen, cut);
  return cut;
};
