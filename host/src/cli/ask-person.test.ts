import { PassThrough } from "node:stream";
import { describe, expect, it } from "vitest";
import { askSecret, askYesNo, isAtTerminal } from "./ask-person.ts";
import { createTerminal } from "./terminal.ts";

const ask = () => {
  const written: string[] = [];
  const stderr = { isTTY: true, write: (text: string) => written.push(text) };
  const stdin = Object.assign(new PassThrough(), { isTTY: true, modes: [] as boolean[], setRawMode: () => stdin });
  stdin.setRawMode = (...[raw]: unknown[]) => {
    stdin.modes.push(raw === true);
    return stdin;
  };
  const terminal = createTerminal({ stdout: { write: () => true }, stderr, env: {} });
  return { written, stdin, asking: { stdin, terminal } };
};

describe("a question", () => {
  it.each([
    ["y\n", true],
    ["YES\n", true],
    [" yes \n", true],
    ["\n", false],
    ["n\n", false],
    ["yep\n", false],
    ["", false],
  ])("answered with %j is %s", async (typed, answer) => {
    const { written, stdin, asking } = ask();
    stdin.end(typed);
    expect(await askYesNo(asking, "Accept it?")).toBe(answer);
    expect(written[0]).toBe("Accept it? [y/N] ");
  });
});

describe("a secret", () => {
  it("is what was typed until Enter, with corrections, and is never shown", async () => {
    const { written, stdin, asking } = ask();
    const secret = askSecret(asking, "api_key");
    stdin.write("hunter3");
    stdin.write("\u007F2\r");
    expect(await secret).toBe("hunter2");
    expect(stdin.modes).toEqual([true, false]);
    expect(written.join("")).toBe("api_key (not shown): \n");
  });

  it("that is broken off leaves the terminal as it was", async () => {
    const { stdin, asking } = ask();
    const secret = askSecret(asking, "api_key");
    stdin.write("hun\u0003");
    await expect(secret).rejects.toThrow("Nothing was stored");
    expect(stdin.modes).toEqual([true, false]);
  });
});

it("a pipe is no person", () => {
  expect(isAtTerminal({ stdin: new PassThrough() })).toBe(false);
});
