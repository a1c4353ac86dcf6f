/** The text of a template that another one includes: it lies below `templates/`, wherever the one that includes it lies. */
import type { RootedFiles } from "../workbench.ts";
import { isPlainName } from "./plain-name.ts";

/** Null: there is none of that name. */
export const readIncluded = async (name: string, rooted: Pick<RootedFiles, "read">): Promise<string | null> =>
  isPlainName(name) ? rooted.read(`templates/${name}`) : null;
