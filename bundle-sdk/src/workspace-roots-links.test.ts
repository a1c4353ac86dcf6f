/** Whatever is asked for and whatever links lie about: what is resolved lies in a root, as the file system itself sees it. */
import { lstatSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, isAbsolute, join, normalize } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { WorkspaceResolveError, WorkspaceRoots } from "./index.ts";

const NAMES = ["a", "b", "d d"] as const;

interface Entry {
  readonly under: string;
  readonly path: readonly string[];
  readonly what: string;
}

/** One thing in the tree: a folder, a file, or a link with its target. Later ones may lie behind the links of earlier ones. */
const entry: fc.Arbitrary<Entry> = fc.record({
  under: fc.constantFrom("root", "root", "second", "outside"),
  path: fc.array(fc.constantFrom(...NAMES), { minLength: 1, maxLength: 2 }),
  what: fc.oneof(
    fc.constantFrom("folder", "file"),
    fc.constantFrom(
      "..",
      "../..",
      "../outside",
      "../../outside",
      ".",
      "a",
      "b",
      "b/a",
      "../second",
      "../root/a",
      "nowhere",
    ),
    fc.constantFrom("TOP/outside", "TOP/outside/a", "TOP/root", "TOP/second/b", "/etc", "/"),
  ),
});

const segment = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...NAMES, "d%20d") },
  { weight: 4, arbitrary: fc.constantFrom("..", ".", "", "%2e%2e", "%2E.", "...", "~", "@second", "@root", "new") },
  {
    weight: 1,
    arbitrary: fc.constantFrom("%2f", "..%2f..", "%5c", "..\\..", "\\", "C:", "%00", "\0", "%ff", "%252e%252e"),
  },
);

/** TOP is the tree's own folder. */
const STARTS = [
  "",
  "",
  ..."workspace: workspace:/ workspace:// workspace:// workspace:/// WORKSPACE:// workspace://@second/".split(" "),
  ..."/ // file:// file:/// file://localhost/ file://TOP/root/ http:// C:\\ \\\\".split(" "),
  ..."TOP/root/ TOP/alias/ TOP/second/ TOP/outside/ TOP/root/../".split(" "),
];

const input = fc.oneof(
  {
    weight: 9,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...STARTS),
        fc.array(segment, { maxLength: 5 }),
        fc.constantFrom("/", "/", "/", "//", "\\"),
      )
      .map(([start, segments, between]) => start + segments.join(between)),
  },
  { weight: 1, arbitrary: fc.string({ unit: "binary", maxLength: 30 }) },
);

const hasName = (path: string): boolean => {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false;
  }
};

/** Where the file system goes with this path: the longest part that exists, followed, and then the rest. */
const landsAt = (path: string): string => {
  let existing = path;
  while (!hasName(existing)) existing = dirname(existing);
  return join(realpathSync(existing), path.slice(existing.length));
};

const lies = (path: string, root: string): boolean => path === root || path.startsWith(`${root}/`);

const build = (top: string, entries: readonly Entry[]): void => {
  for (const name of ["root", "second", "outside"]) mkdirSync(join(top, name));
  symlinkSync("root", join(top, "alias"));
  for (const { under, path, what } of entries) {
    const place = join(top, under, ...path);
    try {
      // Nothing is made behind a link that leads out of here.
      if (!lies(landsAt(dirname(place)), top)) continue;
      mkdirSync(dirname(place), { recursive: true });
      if (what === "folder") mkdirSync(place);
      else if (what === "file") writeFileSync(place, "x", { flag: "wx" });
      else symlinkSync(what.replace("TOP", top), place);
    } catch (error) {
      // Two of them want one place, or a link on the way leads nowhere.
      if (!["EEXIST", "ENOTDIR", "ELOOP", "ENOENT"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
    }
  }
};

const plainAbsolute = (asked: string): boolean => /^(?:[/\\]|[A-Za-z]:[/\\]|file:)/iu.test(asked);

/** Null: refused, in the one way that there is. */
const resolveOrNull = (roots: WorkspaceRoots, asked: string): string | null => {
  try {
    return roots.resolve(asked);
  } catch (error) {
    expect(error).toBeInstanceOf(WorkspaceResolveError);
    return null;
  }
};

/** How often each sort occurred, so that silence means something. */
const counts = { inside: 0, throughLinks: 0, refused: 0, ledOut: 0, passed: 0 };

const checkOne = (roots: WorkspaceRoots, asked: string, top: string): void => {
  const found = resolveOrNull(roots, asked);
  if (found === null) {
    counts.refused += 1;
    if (/^workspace:\/\/[abd ]+(?:\/[abd ]+)*$/u.test(asked)) counts.ledOut += 1;
    return;
  }
  if (roots.profile === "permissive" && plainAbsolute(asked)) {
    counts.passed += 1;
    return;
  }
  const real = landsAt(found);
  expect({
    asked,
    found,
    real,
    clean: isAbsolute(found) && normalize(found) === found,
    spelledAsRoot: lies(found, join(top, "alias")) || lies(found, join(top, "second")),
    inRoot: lies(real, join(top, "root")) || lies(real, join(top, "second")),
  }).toMatchObject({ clean: true, spelledAsRoot: true, inRoot: true });
  counts.inside += 1;
  if (real !== found.replace(join(top, "alias"), join(top, "root"))) counts.throughLinks += 1;
};

it("never resolves to a place outside its roots, however paths are spelled and links laid", () => {
  const temp = realpathSync(mkdtempSync(join(tmpdir(), "roots-links-")));
  let trees = 0;
  const tree = fc.array(entry, { minLength: 6, maxLength: 16 });
  const inputs = fc.array(input, { minLength: 60, maxLength: 60 });
  const property = fc.property(tree, inputs, (entries, asks) => {
    trees += 1;
    const top = join(temp, String(trees));
    mkdirSync(top);
    build(top, entries);
    const list = [join(top, "alias"), { name: "second", uri: join(top, "second") }];
    const strict = new WorkspaceRoots(list);
    const permissive = new WorkspaceRoots(list, { profile: "permissive" });
    for (const template of asks) {
      const asked = template.replace("TOP", top);
      checkOne(strict, asked, top);
      checkOne(permissive, asked, top);
    }
    rmSync(top, { recursive: true });
  });
  try {
    fc.assert(property, { numRuns: 150 });
  } finally {
    rmSync(temp, { recursive: true });
  }
  expect(counts.inside).toBeGreaterThan(1000);
  expect(counts.refused).toBeGreaterThan(1000);
  expect(counts.passed).toBeGreaterThan(500);
  expect(counts.throughLinks).toBeGreaterThan(20);
  expect(counts.ledOut).toBeGreaterThan(20);
});
