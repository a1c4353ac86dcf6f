"""
Runs one tool of a skill package that is written in Python: `run_tool.py <script> <tool>`, with one JSON document on stdin.

A script that defines a function of the tool's name has it called with the arguments as keywords, and what it returns is
written to stdout as JSON; whatever it prints goes to stderr. Any other script is run as a program, with stdin and stdout its
own. Standard library only, Python 3.8 or newer.
"""

import ast
import dataclasses
import importlib.util
import inspect
import io
import json
import os
import runpy
import sys
import tokenize
import traceback
import types

import bailiwick_dcc

OFFERED = "dcc_mcp_core"
MODULE = "skill_script"
BLOCKS = ("body", "orelse", "finalbody", "handlers")


def main():
    script, tool = sys.argv[1:3]
    # As if Python had been given the script itself. Nothing is written beside it: that would change the package.
    sys.argv = [script, tool]
    sys.path[0] = os.path.dirname(script)
    sys.dont_write_bytecode = True
    offer_module()
    function = tool.replace("-", "_")
    source = read_source(script)
    if source is not None and not defines(source, function):
        runpy.run_path(script, run_name="__main__", init_globals=offered_names())
        return
    answer = take_stdout()
    answer(call_function(script, function))


def offer_module():
    """A real installation comes first."""
    if importlib.util.find_spec(OFFERED) is None:
        sys.modules[OFFERED] = bailiwick_dcc


def offered_names():
    """What scripts use without importing it."""
    module = sys.modules.get(OFFERED, bailiwick_dcc)
    return {name: getattr(module, name, getattr(bailiwick_dcc, name)) for name in bailiwick_dcc.__all__}


def read_source(script):
    """None: it is no Python, and running it tells why."""
    try:
        with tokenize.open(script) as file:
            return ast.parse(file.read(), script)
    except (SyntaxError, ValueError, RecursionError):
        return None


def defines(tree, function):
    """Whether the script has the function at its top, without running any of it: it must run once."""
    # Not by recursion: each `elif` of a chain lies in the one before it.
    blocks = [tree]
    while blocks:
        block = blocks.pop()
        for node in (node for field in BLOCKS for node in getattr(block, field, ())):
            if names(node, function):
                return True
            if not isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                blocks.append(node)
    return False


def names(node, function):
    """Whether a statement gives something this name."""
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        return node.name == function
    if isinstance(node, ast.ImportFrom):
        return any((alias.asname or alias.name) == function for alias in node.names)
    if isinstance(node, ast.Assign):
        return any(isinstance(target, ast.Name) and target.id == function for target in node.targets)
    return False


def take_stdout():
    """From here on everything that is printed, by whomever, goes to stderr; the answer alone goes to stdout."""
    out = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    sys.stdout = sys.stderr

    def answer(text):
        with out:
            out.write(text.encode("ascii"))

    return answer


def call_function(script, function):
    """The answer as JSON text. Never raises: whatever goes wrong is a tool error."""
    try:
        given = json.load(io.TextIOWrapper(sys.stdin.buffer, encoding="utf-8"))
        module = load(script)
        value = call(getattr(module, function), given)
        return json.dumps(value, default=as_plain, allow_nan=False)
    except BaseException as error:  # pylint: disable=broad-except
        traceback.print_exc()
        said = "{}: {}".format(type(error).__name__, error) if str(error) else type(error).__name__
        return json.dumps(bailiwick_dcc.error_result("{} failed".format(function), said))


def load(script):
    """As a module and not as `__main__`: what it does when it is run as a program is not asked for."""
    module = types.ModuleType(MODULE)
    module.__file__ = script
    vars(module).update(offered_names())
    sys.modules[MODULE] = module
    with open(script, "rb") as file:
        exec(compile(file.read(), script, "exec"), vars(module))  # pylint: disable=exec-used
    return module


def call(function, given):
    arguments = dict(given["arguments"])
    arguments.pop("_workspace_roots", None)
    if takes(function, "_workspace_roots"):
        arguments["_workspace_roots"] = roots_of(given["_workspace_roots"])
    value = function(**arguments)
    return finish(value) if inspect.isawaitable(value) else value


def finish(value):
    import asyncio  # It takes longer to load than everything else here.

    async def wait():
        return await value

    return asyncio.run(wait())


def takes(function, name):
    try:
        parameters = inspect.signature(function).parameters
    except (TypeError, ValueError):
        return False
    return name in parameters or any(each.kind is each.VAR_KEYWORD for each in parameters.values())


def roots_of(given):
    return None if given is None else bailiwick_dcc.WorkspaceRoots(given["roots"], given["profile"])


def as_plain(value):
    """For what JSON does not know: results of the real module, data classes, paths, sets."""
    for name in ("to_dict", "model_dump"):
        if callable(getattr(value, name, None)):
            return getattr(value, name)()
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return dataclasses.asdict(value)
    if isinstance(value, os.PathLike):
        return os.fspath(value)
    if isinstance(value, (set, frozenset)):
        return sorted(value, key=repr)
    raise TypeError("{} cannot be written as JSON".format(type(value).__name__))


if __name__ == "__main__":
    main()
