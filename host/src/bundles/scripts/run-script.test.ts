import { chmodSync, existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ScriptNotStarted } from "../../kernel/script-not-started.ts";
import { until } from "../bundles-for-tests.ts";
import { makeProgram, openPlace, sleepers } from "./scripts-for-tests.ts";

describe("a script", () => {
  test("is given its input and then the end of it, and what it writes comes back", async () => {
    const { run } = openPlace();
    const end = await run("cat; echo; echo said >&2; exit 3", { input: '{"a":1}' });
    expect(end).toMatchObject({ how: "exited", code: 3, signal: null, lastLine: "said" });
    expect(end.stdout.toString()).toBe('{"a":1}\n');
  });

  test("may leave its input unread, however long that is", async () => {
    const { run } = openPlace();
    const end = await run("echo done", { input: "x".repeat(5_000_000) });
    expect([end.code, end.stdout.toString()]).toEqual([0, "done\n"]);
  });

  test("works in its data directory, which nobody else may read", async () => {
    const { run, dataDir } = openPlace();
    mkdirSync(dataDir, { recursive: true });
    chmodSync(dataDir, 0o755);
    expect((await run("pwd")).stdout.toString()).toBe(`${dataDir}\n`);
    expect(statSync(dataDir).mode & 0o777).toBe(0o700);
  });

  test("sees the variables of the allow-list and what was granted, and nothing else of the host's", async () => {
    const env = {
      PATH: process.env["PATH"],
      GRANTED: "yes, this",
      OTHER: "not this",
      BAILIWICK_KEY: "host's own",
      NB_API_KEY: "host's own",
    };
    const { run, dataDir } = openPlace({ env });
    const allowedEnv = ["GRANTED", "BAILIWICK_KEY", "NB_API_KEY", "ABSENT"];
    const { stdout } = await run("env", { allowedEnv });
    const seen = Object.fromEntries(
      stdout
        .toString()
        .trim()
        .split("\n")
        .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
    );
    expect(seen).toMatchObject({ GRANTED: "yes, this", BAILIWICK_WORKSPACE_ID: "ws_default", PWD: dataDir });
    for (const name of ["OTHER", "BAILIWICK_KEY", "NB_API_KEY", "ABSENT"]) expect(seen).not.toHaveProperty(name);
    expect(stdout.toString()).not.toContain("host's own");
  });

  test("tells people things line by line, without the secrets that it was given", async () => {
    const { run, lines } = openPlace({ env: { PATH: process.env["PATH"], SECRET: "hunter2!" } });
    const script = 'printf "one $SECRET\\ntwo\\r\\n\\nlast $SECRET" >&2; echo "$SECRET is out"';
    const end = await run(script, { allowedEnv: ["SECRET"] });
    expect(lines).toEqual(["one [redacted]", "two", "", "last [redacted]"]);
    expect(end.lastLine).toBe("last [redacted]");
    expect(end.opening).toBe("[redacted] is out\n");
    expect(end.stdout.toString()).toBe("hunter2! is out\n");
  });

  test("that floods stderr costs no more than its last lines", async () => {
    const { run, lines } = openPlace();
    const end = await run("head -c 30000000 /dev/zero >&2; echo >&2; yes x | head -n 200000 >&2; echo end >&2");
    expect(end).toMatchObject({ code: 0, lastLine: "end" });
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(8_192);
    expect(lines.length).toBeLessThan(200_000);
  });

  test("that writes too much is ended, and its beginning is known", async () => {
    const { run } = openPlace();
    const end = await run("yes 0123456789", { maxOutputBytes: 100_000 });
    expect(end.how).toBe("too_large");
    expect(end.opening).toHaveLength(2_000);
    expect(end.opening.startsWith("0123456789\n0123")).toBe(true);
    expect(end.stdout.length).toBeLessThanOrEqual(100_000);
  });

  test("may write exactly what it may", async () => {
    const { run } = openPlace();
    const end = await run("head -c 100000 /dev/zero", { maxOutputBytes: 100_000 });
    expect([end.how, end.stdout.length]).toEqual(["exited", 100_000]);
  });

  test("that a signal ended says which", async () => {
    const { run } = openPlace();
    expect(await run("kill -KILL $$")).toMatchObject({ how: "exited", code: null, signal: "SIGKILL" });
  });

  test("that cannot be started is told in a sentence without its folder", async () => {
    const { run, packageDir, watched } = openPlace();
    await expect(run("", { command: join(packageDir, "absent") })).rejects.toThrow(
      new ScriptNotStarted("The program absent was not found; install it on the host's PATH."),
    );
    await expect(run("", { command: join(packageDir, "tool.sh") })).rejects.toThrow(
      /may not be run; make it executable/,
    );
    expect(watched().trim().split("\n")).toHaveLength(1);
  });

  test("that is not started for a fault of the host's own is told as what it is", async () => {
    const { run } = openPlace({
      dataDirOf: () => {
        throw new RangeError("a bug");
      },
    });
    await expect(run("")).rejects.toThrow(RangeError);
    await expect(openPlace().run("", { command: "a\0b" })).rejects.not.toThrow(ScriptNotStarted);
  });

  test("may be a program of its own", async () => {
    const { run, packageDir } = openPlace();
    makeProgram(join(packageDir, "own"), "#!/bin/sh\necho $1\n");
    const end = await run("", { command: join(packageDir, "own"), args: ["tool"] });
    expect(end.stdout.toString()).toBe("tool\n");
  });
});

describe("the end of a script", () => {
  test("at its time limit takes those with it that ignore SIGTERM and those that left the group", async () => {
    const { run, watched } = openPlace();
    const { seconds, running } = sleepers();
    const script = [
      "trap '' TERM",
      `(trap '' TERM; setsid sh -c 'trap "" TERM; env -i sleep ${seconds}') &`,
      `sleep ${seconds}`,
      `sleep ${seconds}`,
      "echo never",
    ].join("\n");
    const end = await run(script, { limitMs: 700 });
    expect(end).toMatchObject({ how: "timed_out" });
    expect(end.stdout.toString()).toBe("");
    expect(running()).toBe(0);
    expect(watched().trim().split("\n")).toHaveLength(1);
  });

  test("gives it the chance to end by itself first", async () => {
    const { run, dataDir } = openPlace();
    const abort = new AbortController();
    const script = "trap 'echo tidy > note; exit 7' TERM; touch begun; while :; do sleep 0.05; done";
    const ended = run(script, { signal: abort.signal });
    await until(() => existsSync(join(dataDir, "begun")));
    abort.abort();
    expect(await ended).toMatchObject({ how: "cancelled", code: 7 });
    expect(readFileSync(join(dataDir, "note"), "utf8")).toBe("tidy\n");
  });

  test("comes at once when nobody wants it any more", async () => {
    const { run, dataDir } = openPlace();
    const { seconds, running } = sleepers();
    const abort = new AbortController();
    const ended = run(`touch begun; setsid sleep ${seconds} & sleep ${seconds}`, { signal: abort.signal });
    await until(() => existsSync(join(dataDir, "begun")) && running() === 2);
    abort.abort();
    expect(await ended).toMatchObject({ how: "cancelled" });
    expect(running()).toBe(0);
  });

  test("that came before its start means that it never starts", async () => {
    const { run, dataDir } = openPlace();
    expect(await run("touch begun", { signal: AbortSignal.abort() })).toMatchObject({ how: "cancelled" });
    expect(existsSync(join(dataDir, "begun"))).toBe(false);
  });

  test("is the end of what it left in the background, even where that holds its output open", async () => {
    const { run, watched } = openPlace();
    const { seconds, running } = sleepers();
    const end = await run(`setsid sleep ${seconds} & sleep ${seconds} & echo '"ok"'`);
    expect([end.how, end.code, end.stdout.toString()]).toEqual(["exited", 0, '"ok"\n']);
    expect(running()).toBe(0);
    expect(watched().trim().split("\n")).toHaveLength(1);
  });

  test("loses nothing of what was written last", async () => {
    const { run } = openPlace();
    const end = await run("head -c 9000000 /dev/zero | tr '\\0' x; echo y");
    expect([end.stdout.length, end.stdout.at(-2)]).toEqual([9_000_002, 121]);
  });
});
