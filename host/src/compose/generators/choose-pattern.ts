/** The pattern that a generator takes: the first of its own type, or else the first one if that has no type. */
import type { ContentConfig, GenerationPattern } from "../configs/config-types.ts";

export const choosePattern = ({ generation }: ContentConfig, type: string): GenerationPattern | null => {
  const patterns = generation?.patterns ?? [];
  const own = patterns.find((pattern) => pattern.type === type);
  if (own !== undefined) return own;
  const [first] = patterns;
  return first !== undefined && first.type === undefined ? first : null;
};
