/** Children in the order of assembly: by `order`, those without one last, then as they stand in the config. */
import type { ArtifactChild } from "../configs/config-types.ts";

export const orderChildren = (children: readonly ArtifactChild[]): readonly ArtifactChild[] =>
  children.toSorted((a, b) => {
    const [x, y] = [a.order ?? Infinity, b.order ?? Infinity];
    return x === y ? 0 : x - y;
  });
