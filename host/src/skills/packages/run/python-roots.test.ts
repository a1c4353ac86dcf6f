/** The Python class follows the table that the host's own resolution follows. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { locateRunner } from "./locate-runner.ts";
import { noPython, runPython, unlessNoPython } from "./python-for-tests.ts";

interface Case {
  readonly flavour: string;
  readonly profile: string;
  readonly roots: readonly object[];
  readonly input: string;
  readonly result?: string;
  readonly error?: string;
  readonly message?: string;
}

const VECTORS = new URL("../../../../test/vectors/bailiwick/workspace-paths.json", import.meta.url);

/** A disk on which every path is a folder of its own, but for the links. */
const DRIVER = `
import json, sys
sys.path.insert(0, sys.argv[1])
from bailiwick_dcc import WorkspaceRoots

class View:
    def __init__(self, links, separator):
        self.links, self.separator = links, separator
    def realpath(self, path):
        for link, target in self.links.items():
            if path == link or path.startswith(link + self.separator):
                return None if target is None else self.realpath(target + path[len(link):])
        return path
    def exists(self, path):
        parent = path[:path.rfind(self.separator)] if self.separator in path else path[:-1]
        return parent == "" or parent.endswith(":") or self.realpath(parent) is not None

def outcome(case):
    separator = "\\\\" if case["flavour"] == "win32" else "/"
    view = View(case.get("links", {}), separator)
    try:
        roots = WorkspaceRoots(case["roots"], profile=case["profile"], _flavour=case["flavour"], _view=view)
        return {"result": roots.resolve(case["input"])}
    except ValueError as error:
        return {"error": error.kind, "message": str(error)}

json.dump([outcome(case) for case in json.load(sys.stdin)], sys.stdout)
`;

const makeDir = (): string => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-roots-")));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

const expected = ({ result, error, message }: Case, outcome: { readonly message?: string }): object =>
  error === undefined ? { result } : { error, message: message ?? outcome.message };

/** Evaluates Python with the class at hand, and what it left in `said`. */
const evaluate = (code: string): unknown => {
  const start = "import json, sys\nsys.path.insert(0, sys.argv[1])\nfrom bailiwick_dcc import WorkspaceRoots\n";
  const run = runPython(["-c", `${start}${code}\njson.dump(said, sys.stdout)`, locateRunner().folder], "");
  expect(run.stderr).toBe("");
  return run.said();
};

describe.skipIf(noPython !== null)(`WorkspaceRoots in Python${unlessNoPython}`, () => {
  test("finds every path of the table as the host does, with both kinds of path", () => {
    const text = readFileSync(VECTORS, "utf8");
    const cases = JSON.parse(text) as readonly Case[];
    const outcomes = runPython(["-c", DRIVER, locateRunner().folder], text).said() as readonly { message?: string }[];
    expect(cases.length).toBeGreaterThan(100);
    const got = cases.map((one, index) => ({ case: one, outcome: outcomes[index] }));
    expect(got).toEqual(got.map(({ case: one, outcome = {} }) => ({ case: one, outcome: expected(one, outcome) })));
  });

  test("does as the guide shows it, and absolute paths pass where they are said to", () => {
    const said = evaluate(`
roots = WorkspaceRoots(["/projects/hero"])
free = WorkspaceRoots(["/projects/hero"], profile="permissive")
try:
    roots.resolve("/tmp/abs")
    strict = None
except ValueError as error:
    strict = error.kind
said = [roots.resolve("workspace://char/bob.usd"), free.resolve("/tmp/abs"), strict]`);
    expect(said).toEqual(["/projects/hero/char/bob.usd", "/tmp/abs", "path_outside_roots"]);
  });

  test("reads what a client announces, and lists what is no base with the reason", () => {
    const said = evaluate(`
roots = WorkspaceRoots.from_client_roots([
    {"uri": "https://example.org/", "name": "web"}, {"uri": "file:///a/My%20Project", "name": "mine"}])
said = [roots.resolve("workspace://x"), roots.roots()]`);
    expect(said).toEqual([
      "/a/My Project/x",
      [
        { name: "web", uri: "https://example.org/", path: null, reason: expect.stringContaining("only file: roots") },
        { name: "mine", uri: "file:///a/My%20Project", path: "/a/My Project", reason: null },
      ],
    ]);
  });

  test("follows the links of the real disk, and none of them out", () => {
    const dir = makeDir();
    mkdirSync(join(dir, "root/in"), { recursive: true });
    mkdirSync(join(dir, "out"));
    writeFileSync(join(dir, "out/secret"), "");
    symlinkSync(join(dir, "out"), join(dir, "root/away"));
    symlinkSync(join(dir, "root/in"), join(dir, "root/near"));
    symlinkSync(join(dir, "nowhere"), join(dir, "root/dangling"));
    symlinkSync("loop", join(dir, "root/loop"));
    symlinkSync(join(dir, "root"), join(dir, "by-link"));
    const said = evaluate(`
def find(path, base="root", profile="strict"):
    try:
        return WorkspaceRoots([${JSON.stringify(dir)} + "/" + base], profile=profile).resolve(path)
    except ValueError as error:
        return error.kind
paths = ["near/new", "away/secret", "dangling", "loop/x", "in/../near", "workspace://in/a/b/c"]
said = [find(path) for path in paths] + [find("in", "by-link"), find("away/x", profile="permissive")]`);
    expect(said).toEqual([
      join(dir, "root/near/new"),
      "path_outside_roots",
      "path_outside_roots",
      "path_outside_roots",
      join(dir, "root/near"),
      join(dir, "root/in/a/b/c"),
      join(dir, "by-link/in"),
      "path_outside_roots",
    ]);
  });

  test.each(["None", "7", "b'bytes'", "['list']"])("says no to what is no path: %s", (value) => {
    const said = evaluate(`
try:
    said = WorkspaceRoots(["/a"]).resolve(${value})
except ValueError as error:
    said = str(error)`);
    expect(said).toBe("path must be a string");
  });
});
