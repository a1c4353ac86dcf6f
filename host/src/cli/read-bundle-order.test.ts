import { Readable } from "node:stream";
import { describe, expect, it } from "vitest";
import type { CommandContext } from "./command.ts";
import { parseCommandLine } from "./parse-command-line.ts";
import { readBundleOrder } from "./read-bundle-order.ts";
import { readPairs } from "./read-pairs.ts";
import { createTerminal } from "./terminal.ts";
import { UsageError } from "./usage-error.ts";

const terminal = createTerminal({ stdout: { write: () => true }, stderr: { write: () => true }, env: {} });

const contextOf = (argv: readonly string[], input = ""): CommandContext => {
  const meaning = parseCommandLine(["bundle", "add", ...argv]);
  if (meaning.kind !== "run") throw new Error(meaning.kind);
  const { flags, args } = meaning.input;
  const stdin = Readable.from([input]);
  return { flags, args, terminal, env: {}, cwd: "/here", home: "/home/me", stdin, json: false, help: () => "" };
};
const order = (...argv: readonly string[]) => readBundleOrder(contextOf(argv));

const usageOf = async (work: Promise<unknown>): Promise<string> => {
  const error: unknown = await work.then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof UsageError)) throw new Error(`not a usage error: ${String(error)}`);
  return `${error.message} → ${error.next ?? ""}`;
};

describe("bundle add", () => {
  it.each([
    [["@a/b"], { name: "@a/b" }],
    [["@a/b", "--version", "1.2.3", "--server-name", "b"], { name: "@a/b", version: "1.2.3", serverName: "b" }],
    [["--path", "x/../y"], { path: "/here/y" }],
    [["--path", "/abs/b.mcpb"], { path: "/abs/b.mcpb" }],
    [["n", "--env", "A=1", "--env", "B=x=y", "--env", "C="], { name: "n", env: { A: "1", B: "x=y", C: "" } }],
    [
      ["n", "--set", "key=${env:KEY}", "--set", "n:=5", "--set", 'l:=["a"]'],
      { name: "n", userConfig: { key: "${env:KEY}", n: 5, l: ["a"] } },
    ],
    [["--url", "https://x/mcp", "--name", "crm"], { url: "https://x/mcp", serverName: "crm" }],
    [
      ["--url", "https://x/mcp", "--name", "crm", "--auth", "bearer", "--token-env", "CRM_TOKEN"],
      { url: "https://x/mcp", serverName: "crm", transport: { auth: { type: "bearer", token: "${env:CRM_TOKEN}" } } },
    ],
  ])("%j asks for the entry %j", async (argv, entry) => {
    expect(await order(...argv)).toEqual(entry);
  });

  it.each([
    [[], "exactly one"],
    [["n", "--path", "x"], "exactly one"],
    [["--path", "x", "--url", "https://x"], "exactly one"],
    [["--url", "https://x"], "--name <name>"],
    [["--url", "https://x", "--name", "a", "--env", "A=1"], "--env is not for --url"],
    [["--url", "https://x", "--name", "a", "--auth", "basic"], 'found "basic"'],
    [["--url", "https://x", "--name", "a", "--auth", "bearer"], "go together"],
    [["--url", "https://x", "--name", "a", "--token-env", "T"], "go together"],
    [["n", "--auth", "bearer"], "--auth is only for --url"],
    [["--path", "x", "--version", "1.0.0"], "--version is only for a name"],
    [["n", "--env", "A"], "--env NAME=value"],
    [["n", "--env", "1A=x"], "--env NAME=value"],
    [["n", "--env", "A=1", "--env", "A=2"], "given twice"],
    [["n", "--set", "novalue"], "key=value"],
  ])("%j is answered with what to type instead", async (argv, said) => {
    expect(await usageOf(order(...argv))).toContain(said);
  });

  it("shows no value that might be a token where its place was mistaken", async () => {
    const said = await usageOf(
      order("--url", "https://x", "--name", "a", "--auth", "bearer", "--token-env", "sk-live-1234"),
    );
    expect(said).toContain("not the token");
    expect(said).not.toContain("sk-live");
  });
});

describe("settings", () => {
  const read = (words: readonly string[], input = "") => readPairs(words, { stdin: Readable.from([input]), terminal });

  it("are text, JSON, or what comes on standard input without its last line break", async () => {
    expect(await read(["a=b=c", "n:=5", "off:=null", "secret=-", "empty="], "s e c\n\r\n")).toEqual({
      a: "b=c",
      n: 5,
      off: null,
      secret: "s e c\n",
      empty: "",
    });
  });

  it.each([
    [["a"], "", '"a" is no key=value'],
    [["=a"], "", "no key=value"],
    [["__proto__=a"], "", "no key=value"],
    [["a:=x"], "", "a: not JSON"],
    [["a=1", "a=2"], "", "a is given twice"],
    [["a=-", "b=-"], "x", "one value only"],
    [["a=-"], "\n", "a: nothing was given"],
  ])("%j are answered with what to type instead", async (words, input, said) => {
    expect(await usageOf(read(words, input))).toContain(said);
  });
});
