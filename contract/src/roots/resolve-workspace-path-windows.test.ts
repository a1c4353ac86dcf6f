/** What Windows would make of each answer, by the rules that Node has for its paths. */
import { win32 } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { resolveWorkspacePath } from "./resolve-workspace-path.ts";
import { type PathProfile, WorkspaceResolveError } from "./roots.ts";

const ROOTS = [
  { name: "project", path: "C:\\projects\\hero" },
  { name: "nas", path: "\\\\nas\\share\\renders" },
];

const view = { realpath: (path: string): string => path, exists: (): boolean => true };

const STARTS = [
  ..."workspace: workspace:// workspace:/// workspace://@nas/ file:/// file:// file:///C:/projects/hero/".split(" "),
  ..."file://nas/share/renders/ / // C: c:/PROJECTS/hero/ C:/projects/hero/ D:/ //nas/share/renders/ //?/C:/".split(
    " ",
  ),
  ...String.raw`\ \\ C:\projects\hero\ D:\ \\nas\share\renders\ \\?\C:\ \\.\ x`.split(" "),
  "",
  "",
];

const SEGMENTS = [
  ...".. .. . %2e%2e %5c %2f ... a a. hero heroes projects CON nul.txt com1 C: a:b ::$DATA ? * ~ @nas %00".split(" "),
  "",
  "b c",
  ".. ",
  "a ",
  "\u212a",
  "\u00e9",
  "\0",
];

const input = fc
  .tuple(
    fc.constantFrom(...STARTS),
    fc.array(fc.constantFrom(...SEGMENTS), { maxLength: 5 }),
    fc.constantFrom("/", "\\"),
  )
  .map(([start, segments, between]) => start + segments.join(between));

const resolve = (asked: string, profile: PathProfile): string | null => {
  try {
    return resolveWorkspacePath(asked, { roots: ROOTS, profile, flavour: "win32", view });
  } catch (error) {
    expect(error).toBeInstanceOf(WorkspaceResolveError);
    return null;
  }
};

const isBelowARoot = (path: string): boolean =>
  ROOTS.some((root) => {
    const way = win32.relative(root.path, path);
    return !win32.isAbsolute(way) && way.split("\\")[0] !== "..";
  });

it("gives only paths below a root, each name of which is a plain name", () => {
  let found = 0;
  fc.assert(
    fc.property(input, (asked) => {
      const path = resolve(asked, "strict");
      if (path === null) return;
      found += 1;
      expect(win32.normalize(path)).toBe(path);
      expect(isBelowARoot(path)).toBe(true);
      for (const name of path.replace(/^(?:[A-Z]:\\|\\\\)/u, "").split("\\")) {
        expect(name).not.toMatch(/[:/\0]|[. ]$|^(?:con|nul|com1)(?:\.|$)/iu);
      }
    }),
    { numRuns: 8000 },
  );
  expect(found).toBeGreaterThan(500);
});

it("hands on only absolute paths in the permissive profile; all others are what they are in the strict one", () => {
  fc.assert(
    fc.property(input, (asked) => {
      if (/^(?:[/\\]|[A-Za-z]:[/\\]|file:)/iu.test(asked)) return;
      expect(resolve(asked, "permissive")).toBe(resolve(asked, "strict"));
    }),
    { numRuns: 4000 },
  );
});
