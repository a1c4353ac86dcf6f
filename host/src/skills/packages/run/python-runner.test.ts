import { describe, expect, test } from "vitest";
import { noPython, runTool, unlessNoPython } from "./python-for-tests.ts";

/** As the guide has it. */
const IMPORT_USD = `
def import_usd(path: str, _workspace_roots=None):
    if _workspace_roots is None:
        return error_result("import_usd", "no workspace roots advertised")
    try:
        resolved = _workspace_roots.resolve(path)
    except ValueError as e:
        return error_result("import_usd", str(e))
    # ...continue with \`resolved\` as an absolute PathBuf-equivalent
    return {"resolved": resolved}
`;

const ROOTS = { profile: "strict", roots: [{ name: "project", uri: "file:///projects/hero", path: "/projects/hero" }] };

describe.skipIf(noPython !== null)(`a function of a Python script${unlessNoPython}`, () => {
  test("runs as the guide has it written, with roots and without", () => {
    const order = { tool: "import_usd", args: { path: "workspace://assets/hero.usd" } };
    expect(runTool(IMPORT_USD, { ...order, roots: ROOTS }).said()).toEqual({
      resolved: "/projects/hero/assets/hero.usd",
    });
    expect(runTool(IMPORT_USD, order).said()).toEqual({
      success: false,
      message: "import_usd",
      error: "no workspace roots advertised",
    });
    const outside = runTool(IMPORT_USD, { ...order, args: { path: "/etc/passwd" }, roots: ROOTS }).said();
    expect(outside).toMatchObject({
      success: false,
      error: expect.stringContaining("leads out of the workspace roots"),
    });
  });

  test("takes its arguments by their names, and everything printed goes to stderr", () => {
    const script = `
import os, subprocess
print("loading")
def act(name, times=1):
    print("hello")
    os.write(1, b"raw\\n")
    subprocess.run(["echo", "child"])
    return {"said": name * times}
print("loaded")
if __name__ == "__main__":
    raise SystemExit("not asked for")
`;
    const run = runTool(script, { args: { name: "ä", times: 2 } });
    expect([run.code, run.said()]).toEqual([0, { said: "ää" }]);
    for (const line of ["loading", "loaded", "hello", "raw", "child"]) expect(run.stderr).toContain(line);
  });

  test.each([
    ["def act(**all): return sorted(all)", ["_workspace_roots", "a"]],
    ["def act(a, _workspace_roots='own'): return [a, _workspace_roots is None]", [1, true]],
    ["def act(a): return a", 1],
    ["async def act(a):\n  import asyncio\n  await asyncio.sleep(0)\n  return a", 1],
    ["act = lambda a: a + 1", 2],
    ["from math import floor as act_it\nif True:\n  def act(a): return act_it(a)", 1],
    ["try:\n  import nowhere\nexcept ImportError:\n  def act(a): return 'fallback'", "fallback"],
    ["def act(a): return None", null],
  ])("%s", (script, expected) => expect(runTool(script, { args: { a: 1 } }).said()).toEqual(expected));

  test("is found at the end of a chain of any length", () => {
    const elifs = Array.from({ length: 1_500 }, (_, i) => `elif n == ${i}:\n  x = ${i}\n`).join("");
    const script = `n = 1\nif n == -1:\n  x = 0\n${elifs}`;
    expect(runTool(`${script}def act(): return x`).said()).toBe(1);
    expect(runTool(`${script}print(x)`).said()).toBe(1);
  });

  test("is not what a function or a class has inside", () => {
    const script = "def other():\n  def act(): pass\nclass Holder:\n  def act(self): pass\nprint(2)";
    expect(runTool(script).said()).toBe(2);
  });

  test("may stand under a name with a hyphen, which Python writes as _", () => {
    expect(runTool("def do_it(): return 'done'", { tool: "do-it" }).said()).toBe("done");
  });

  test("is not given roots by who calls it", () => {
    const forged = { _workspace_roots: ROOTS };
    expect(runTool("def act(_workspace_roots): return _workspace_roots", { args: forged }).said()).toBeNull();
  });

  test.each([
    ["def act(): raise KeyError('x')", "KeyError: 'x'"],
    ["def act(): raise ValueError", "ValueError"],
    ["def act(): import sys; sys.exit(3)", "SystemExit: 3"],
    ["def act(): return float('nan')", "ValueError: Out of range float values are not JSON compliant"],
    ["def act(): return object()", "TypeError: object cannot be written as JSON"],
    ["def act(needed): pass", "TypeError: act() missing 1 required positional argument: 'needed'"],
    ["def act(): return (lambda f: f(f))(lambda f: f(f))", "RecursionError: maximum recursion depth exceeded"],
    ["import nowhere\ndef act(): pass", "ModuleNotFoundError: No module named 'nowhere'"],
    ["def act(:", "SyntaxError: "],
  ])("that goes wrong is a tool error, and stderr says where: %s", (script, error) => {
    const run = runTool(script);
    expect([run.code, run.said()]).toEqual([
      0,
      { success: false, message: "act failed", error: expect.stringContaining(error) },
    ]);
    expect(run.stderr).toContain(error.split(":")[0]);
  });

  test("may return data classes, paths, sets and what knows how to be a dictionary", () => {
    const script = `
import dataclasses, pathlib
@dataclasses.dataclass
class Point:
    x: int
class Own:
    def to_dict(self): return {"success": False}
def act(): return [Point(1), pathlib.Path("/a"), {2, 1}, Own()]
`;
    expect(runTool(script).said()).toEqual([{ x: 1 }, "/a", [1, 2], { success: false }]);
  });

  test("imports what lies beside it, and leaves nothing there", () => {
    const script = "import beside, os\ndef act(): return [beside.VALUE, sorted(os.listdir(os.path.dirname(__file__)))]";
    expect(runTool(script, { files: { "beside.py": "VALUE = 5" } }).said()).toEqual([5, ["beside.py", "script.py"]]);
  });

  test("is offered dcc_mcp_core, unless a real one is installed", () => {
    const script = `
from dcc_mcp_core import WorkspaceRoots, error_result, success_result
import dcc_mcp_core
def act():
    return [WorkspaceRoots(["/a"]).resolve("b"), error_result("m", "e", hint=1), success_result("m", "p", n=2),
            error_result("alone")]
`;
    expect(runTool(script).said()).toEqual([
      "/a/b",
      { success: false, message: "m", error: "e", context: { hint: 1 } },
      { success: true, message: "m", prompt: "p", context: { n: 2 } },
      { success: false, message: "alone", error: "alone" },
    ]);
    const real = { "dcc_mcp_core.py": "def error_result(*_): return 'real'" };
    const own = "from dcc_mcp_core import error_result\ndef act(): return error_result('m')";
    expect(runTool(own, { files: real }).said()).toBe("real");
  });
});

describe.skipIf(noPython !== null)(`a Python script without such a function${unlessNoPython}`, () => {
  test("is run as a program, with stdin and stdout its own", () => {
    const script = `
import json, sys
class Holder:
    def act(self): pass
if __name__ == "__main__":
    given = json.load(sys.stdin)
    print(json.dumps({"tool": given["tool"], "argv": sys.argv[1:], "a": given["arguments"]["a"]}))
`;
    const run = runTool(script, { args: { a: 1 } });
    expect([run.code, run.said()]).toEqual([0, { tool: "act", argv: ["act"], a: 1 }]);
  });

  test("ends as it says, and an exception is told on stderr", () => {
    expect(runTool("import sys; sys.exit(4)").code).toBe(4);
    const run = runTool("raise RuntimeError('broken')");
    expect(run.code).toBe(1);
    expect(run.stderr.trim().split("\n").at(-1)).toBe("RuntimeError: broken");
  });
});
