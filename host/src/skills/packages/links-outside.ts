/**
 * The links of a package that lead out of what its digest covers, or could be made to without a change of it. Decided on what
 * was seen of the package alone: each step of a link has to stay inside, so that nobody outside decides where it leads.
 */
import { isAbsolute, sep } from "node:path";
import type { PackageLink } from "./find-script.ts";
import { LEFT_OUT, type SeenFiles } from "./package-files.ts";

/** More than any system follows: it leads in a circle, so nowhere. */
const MAX_STEPS = 64;
const BETWEEN = sep === "\\" ? /[\\/]/ : /\//;

export const linksOutside = ({ root, links }: Pick<SeenFiles, "root" | "links">): readonly string[] => {
  const targets = new Map(links.map(({ path, target }) => [path, target]));
  return links.filter((link) => leadsOut(link, root, targets)).map(({ path }) => path);
};

const leadsOut = ({ path }: PackageLink, root: string, targets: ReadonlyMap<string, string>): boolean => {
  const at: string[] = [];
  const ahead = path.split("/").toReversed();
  for (let steps = 0; ahead.length > 0;) {
    const part = ahead.pop() as string;
    if (part === "" || part === ".") continue;
    if (part === "..") {
      if (at.pop() === undefined) return true;
      continue;
    }
    at.push(part);
    const target = targets.get(at.join("/"));
    if (LEFT_OUT.has(at[0] ?? "")) return true;
    if (target === undefined) continue;
    if (++steps > MAX_STEPS) return false;
    at.pop();
    const below = belowRoot(target, root);
    if (below === null) return true;
    if (below !== target) at.length = 0;
    ahead.push(...below.split(BETWEEN).toReversed());
  }
  return false;
};

/** A relative target as it is, an absolute one from the package on; null: it leads elsewhere. */
const belowRoot = (target: string, root: string): string | null => {
  if (!isAbsolute(target)) return target;
  return `${target}${sep}`.startsWith(root + sep) ? target.slice(root.length) : null;
};
