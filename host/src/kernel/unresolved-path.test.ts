import { WorkspaceResolveError } from "@bailiwick/contract";
import { expect, it } from "vitest";
import { rootListOf } from "./roots-for-tests.ts";
import { unresolvedPath } from "./unresolved-path.ts";

const roots = rootListOf({ hero: "/projects/hero" });
const told = (path: string, tool?: string): string => {
  try {
    return roots.resolve(path);
  } catch (no) {
    if (!(no instanceof WorkspaceResolveError)) throw no;
    return unresolvedPath(no, { roots, ...(tool !== undefined && { tool }) }).message;
  }
};

it.each(["../x", '/etc/a "quoted" one', "/etc/passwd", "workspace://../x", `/etc/${"long".repeat(500)}`])(
  "a path that leads out is named once: %s",
  (path) => {
    for (const message of [told(path), told(path, "p__open")]) {
      expect(message.split(JSON.stringify(path).slice(1, 40))).toHaveLength(2);
      expect(message).toContain(": it leads out of the ");
      expect(message.length).toBeLessThan(500);
    }
  },
);

it("what is wrong with a path is told after it", () => {
  expect(told("workspace://@no/x", "p__open")).toBe(
    'p__open cannot use the path "workspace://@no/x": no root is named "no"; there is @hero.',
  );
  expect(told("")).toBe('"" cannot be resolved: path must not be empty.');
});
