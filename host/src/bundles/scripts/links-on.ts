/** The links on the way along a path, each with the folder in which it really lies and with where it finally leads. */
import { readlink, realpath } from "node:fs/promises";
import { isAbsolute, join } from "node:path";
import type { PlacedLink } from "../sandbox/bwrap-command.ts";

/** As many as the system itself follows. */
const MAX_LINKS = 40;

/** Of an absolute path. None where it leads nowhere. */
export const linksOn = async (path: string): Promise<readonly PlacedLink[]> => {
  const links: PlacedLink[] = [];
  const rest = partsOf(path);
  let at = "/";
  for (let part = rest.shift(); part !== undefined; part = rest.shift()) {
    const next = join(at, part);
    const target = await readlink(next).catch(() => null);
    if (target === null) {
      at = next;
      continue;
    }
    const real = await realpath(next).catch(() => null);
    if (real === null || links.length === MAX_LINKS) return [];
    links.push({ path: next, target: real });
    rest.unshift(...partsOf(target));
    if (isAbsolute(target)) at = "/";
  }
  return links;
};

const partsOf = (path: string): string[] => path.split("/").filter((part) => part !== "" && part !== ".");
