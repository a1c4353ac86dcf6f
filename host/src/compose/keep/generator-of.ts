/** Which generator would take a config, by the one table of rules; also of a config that breaks its schema. */
import { ComposeError } from "../compose-error.ts";
import type { ContentConfig } from "../configs/config-types.ts";
import { selectGenerator, type SelectionPorts } from "../generators/select-generator.ts";
import { usesJinjaBlocks, usesJinjaExpression } from "../jinja/uses-jinja.ts";
import type { GeneratorsSeen } from "../workbench.ts";
import { itemsOf, membersOf, textOf } from "./saved-members.ts";

/** Null: it names one that there is not. */
export const generatorOf = (seen: GeneratorsSeen): ((data: unknown) => string | null) => {
  const known = new Set(seen.generators.map(({ entry }) => entry.type));
  const ports: SelectionPorts = { known, usesJinjaBlocks, usesJinjaExpression };
  return (data) => {
    try {
      return selectGenerator(selectable(data), ports).type;
    } catch (error) {
      if (error instanceof ComposeError) return null;
      throw error;
    }
  };
};

/** Of all that the rules look at, what is as they expect it. */
const selectable = (data: unknown): ContentConfig => {
  const [first] = itemsOf(membersOf(data, "generation"), "patterns");
  const [type, template] = [textOf(first, "type"), textOf(first, "template")];
  const pattern = { ...(type === null ? {} : { type }), ...(template === null ? {} : { template }) };
  const elements = itemsOf(data, "elements").filter((element) => typeof element === "object" && element !== null);
  return { generation: { patterns: [pattern] }, elements } as unknown as ContentConfig;
};
