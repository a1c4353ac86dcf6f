/** The table of workspace paths is data that the Python runner is tested with too. */
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { PathFlavour, PathProfile, PathView, ResolveFault, WorkspaceRoot } from "./roots.ts";
import { WorkspaceResolveError } from "./roots.ts";
import { resolveWorkspacePath } from "./resolve-workspace-path.ts";

interface Case {
  readonly flavour: PathFlavour;
  readonly profile: PathProfile;
  readonly roots: readonly WorkspaceRoot[];
  readonly input: string;
  /** What lies on the disk beside folders: from a link to where it leads; null: nowhere. */
  readonly links?: Readonly<Record<string, string | null>>;
  readonly result?: string;
  readonly error?: ResolveFault;
  readonly message?: string;
}

const VECTORS = new URL("../../../host/test/vectors/bailiwick/workspace-paths.json", import.meta.url);
const cases = JSON.parse(readFileSync(VECTORS, "utf8")) as readonly Case[];

/** A disk on which every path is a folder of its own, but for the links. */
const viewOf = (links: Readonly<Record<string, string | null>>, flavour: PathFlavour): PathView => {
  const separator = flavour === "win32" ? "\\" : "/";
  const follow = (path: string): string | null => {
    for (const [link, target] of Object.entries(links)) {
      if (path !== link && !path.startsWith(link + separator)) continue;
      return target === null ? null : follow(target + path.slice(link.length));
    }
    return path;
  };
  return {
    realpath: follow,
    exists: (path) => {
      const parent = path.slice(0, path.lastIndexOf(separator));
      return parent === "" || parent.endsWith(":") || follow(parent) !== null;
    },
  };
};

const outcomeOf = ({ input, links, ...rest }: Case): Pick<Case, "result" | "error" | "message"> => {
  try {
    return { result: resolveWorkspacePath(input, { ...rest, view: viewOf(links ?? {}, rest.flavour) }) };
  } catch (error) {
    if (!(error instanceof WorkspaceResolveError)) throw error;
    expect(error.path).toBe(input);
    return { error: error.kind, message: error.message };
  }
};

const titleOf = ({ flavour, profile, roots, input, links }: Case): string => {
  const shown = JSON.stringify(input.length > 60 ? `${input.slice(0, 60)}… (${input.length})` : input);
  const where = `${flavour}, ${profile}, roots ${roots.map((root) => root.path).join(" ") || "none"}`;
  return `${shown} (${where}${links === undefined ? "" : `, links ${JSON.stringify(links)}`})`;
};

describe("a path is found as the table says", () => {
  it.each(cases.map((one) => [titleOf(one), one] as const))("%s", (_title, one) => {
    const outcome = outcomeOf(one);
    if (one.error === undefined) expect(outcome).toEqual({ result: one.result });
    else expect(outcome.error).toBe(one.error);
    if (one.message !== undefined) expect(outcome.message).toBe(one.message);
  });
});
