import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { COMMANDS } from "./commands.ts";
import { parseCommandLine } from "./parse-command-line.ts";
import { UsageError } from "./usage-error.ts";

const run = (...argv: string[]) => {
  const meaning = parseCommandLine(argv);
  if (meaning.kind !== "run") throw new Error(`meant ${meaning.kind}`);
  return { name: meaning.command.name, ...meaning.input };
};

const refusal = (...argv: string[]): string => {
  try {
    parseCommandLine(argv);
  } catch (error) {
    if (error instanceof UsageError) return `${error.message} → ${error.next ?? ""}`;
    throw error;
  }
  return "understood";
};

describe("what is typed is understood", () => {
  it.each([
    [["serve"], { name: "serve", args: [], flags: {} }],
    [[], { name: "chat", args: [], flags: {} }],
    [["--resume", "conv_0123456789abcdef"], { name: "chat", args: [], flags: { resume: "conv_0123456789abcdef" } }],
    [["--json", "--model", "m"], { name: "chat", args: [], flags: { json: true, model: "m" } }],
    [["chat", "serve", "--no-skill"], { name: "chat", args: ["serve"], flags: { "no-skill": true } }],
    [["prompt", "Hi", "--skill", "s"], { name: "prompt", args: ["Hi"], flags: { skill: "s" } }],
    [["serve", "--port", "80", "--no-auth"], { name: "serve", args: [], flags: { port: "80", "no-auth": true } }],
    [
      ["--json", "--config=x.json", "tools", "file"],
      { name: "tools", args: ["file"], flags: { json: true, config: "x.json" } },
    ],
    [["call", "a__b", '{"x":1}'], { name: "call", args: ["a__b", '{"x":1}'], flags: {} }],
    [["call", "a__b", "-"], { name: "call", args: ["a__b", "-"], flags: {} }],
    [["evidence", "tail", "-n", "5", "-f"], { name: "evidence tail", args: [], flags: { lines: "5", follow: true } }],
    [
      ["key", "create", "--name", "ci", "--scope", "a__*", "--scope", "b__*"],
      { name: "key create", args: [], flags: { name: "ci", scope: ["a__*", "b__*"] } },
    ],
    [["bundle", "start", "files"], { name: "bundle start", args: ["files"], flags: {} }],
    [["capabilities", "add", "usd", "x"], { name: "capabilities add", args: ["usd", "x"], flags: {} }],
    [["capabilities", "add", "--", "-odd"], { name: "capabilities add", args: ["-odd"], flags: {} }],
    [
      ["skill", "list", "--satisfied", "--dcc", "maya"],
      { name: "skill list", args: [], flags: { satisfied: true, dcc: "maya" } },
    ],
    [["evidence", "show", "--", "-odd"], { name: "evidence show", args: ["-odd"], flags: {} }],
  ])("%j", (argv, expected) => {
    expect(run(...argv)).toEqual(expected);
  });

  it.each([
    [["--help"], null],
    [["help"], null],
    [["help", "serve"], "serve"],
    [["serve", "--help"], "serve"],
    [["key", "-h"], "key"],
    [["bundle", "--help"], "bundle"],
    [["help", "evidence", "verify"], "evidence verify"],
  ])("%j asks for help", (argv, topic) => {
    expect(parseCommandLine(argv)).toEqual({ kind: "help", topic });
  });

  it.each(["--version", "-v"])("%s asks for the version", (flag) => {
    expect(parseCommandLine([flag])).toEqual({ kind: "version" });
  });
});

describe("what is not understood is answered with what to type instead", () => {
  it.each([
    [["sreve"], 'There is no command "sreve". Did you mean "serve"?'],
    [["evidence", "veriyf"], 'There is no command "evidence veriyf". Did you mean "verify"?'],
    [["bundle", "strat", "x"], 'There is no command "bundle strat". Did you mean "start"?'],
    [["bundle", "stop"], "bailiwick bundle stop needs an argument. → Usage: bailiwick bundle stop <name>"],
    [["evidence"], "Use one of: bailiwick evidence tail"],
    [
      ["capabilities", "add"],
      "bailiwick capabilities add needs an argument. → Usage: bailiwick capabilities add <name>...",
    ],
    [["roots", "resolv", "x"], 'There is no command "roots resolv". Did you mean "resolve"?'],
    [["serve", "--prot", "1"], 'bailiwick serve has no flag --prot. Did you mean "--port"?'],
    [["serve", "--port"], "--port needs a value. → Write: --port <number>"],
    [["serve", "--config", "--json"], "--config needs a value."],
    [["tools", "--json=yes"], '--json takes no value (found "yes").'],
    [["serve", "--port", "1", "--port", "2"], "--port is given twice."],
    [["call"], "bailiwick call needs an argument. → Usage: bailiwick call <provider__tool>"],
    [["call", "a__b", "{a:", "1}"], "Put the JSON in single quotes"],
    [["serve", "now"], 'does not know what to do with "now"'],
    [["--resume"], "--resume needs a value."],
    [["--resume", "conv_x", "tools"], "bailiwick tools has no flag --resume."],
    [["chat", "hello", "there"], 'bailiwick chat does not know what to do with "there".'],
    [["--jsno"], 'bailiwick has no flag --jsno. Did you mean "--json"?'],
    [["serve", "--__proto__"], "bailiwick serve has no flag --__proto__."],
    [["constructor"], 'There is no command "constructor".'],
  ])("%j", (argv, expected) => {
    expect(refusal(...argv)).toContain(expected);
  });

  it("whatever is typed ends in a meaning or a usage error", () => {
    const words = COMMANDS.flatMap(({ name }) => name.split(" "));
    const word = fc.oneof(fc.constantFrom(...words, "--json", "--config", "-n", "--", "-", "--=", "-=x"), fc.string());
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), (argv) => {
        expect(refusal(...argv)).toBeTypeOf("string");
      }),
    );
  });
});
