/** The first condition of a child that does not hold; null: all hold. Paths look into the context, own members only. */
import { jcs } from "../../kernel/jcs.ts";
import type { Context } from "../configs/read-context.ts";
import { lookInto } from "../generators/placeholders.ts";

export const unmetCondition = (conditions: Readonly<Record<string, unknown>>, context: Context): string | null => {
  for (const [path, wanted] of Object.entries(conditions)) {
    if (jcs(lookInto(context, path)) !== jcs(wanted)) return path;
  }
  return null;
};
