import { describe, expect, test } from "vitest";
import { isAlive, openPlugins, plugin, until, type PluginPlace } from "./plugins-for-tests.ts";

const open = (body: string, more: Parameters<typeof openPlugins>[0] = {}): PluginPlace => {
  const place = openPlugins(more);
  place.write("nasty.generator.mjs", plugin("nasty", `const { how } = context; ${body}`));
  return place;
};
const as = (how: string) => ({ context: { how } });
const failure = (made: Promise<unknown>): Promise<unknown> =>
  made.then(
    () => "nothing failed",
    (error: unknown) => error,
  );

describe("a plug-in that", () => {
  test.each([
    ["42", "number"],
    ["undefined", "undefined"],
    ["null", "null"],
    ["['a']", "array"],
    ["{ text: 'a' }", "object"],
    ["Buffer.from('a')", "object"],
  ])("makes %s instead of a text is told what it must make", async (value, type) => {
    const { generate } = open(`return ${value};`);
    expect(await failure(generate("nasty"))).toMatchObject({
      code: "generation_failed",
      message: `The plug-in generator nasty failed. It made a value of the type ${type}; it must make a string.`,
    });
  });

  test("throws fails with what it says, cut, and goes on", async () => {
    const { generate, pids } = open(`
      if (how === "error") throw new Error("no luck");
      if (how === "text") throw "plain";
      if (how === "long") throw new Error("x".repeat(100_000));
      if (how === "odd") throw { toString() { throw new Error("hidden") } };
      if (how === "nothing") throw undefined;
      return "fine";`);
    const messages = await Promise.all(
      ["error", "text", "long", "odd", "nothing"].map(
        async (how) => (await failure(generate("nasty", as(how)))) as Error,
      ),
    );
    const said = messages.map(({ message }) => message.replace("The plug-in generator nasty failed. ", ""));
    const odd = "it threw something that cannot be shown";
    expect(said).toEqual(["no luck", "plain", "x".repeat(500), odd, "undefined"]);
    expect([(await generate("nasty", as(""))).text, pids.length]).toEqual(["fine", 1]);
  });

  test("writes more than it may makes nothing of it", async () => {
    const { generate } = open('return "\\u00e4".repeat(Number(how));');
    const limits = { maxBytes: 1_000 };
    expect(Buffer.byteLength((await generate("nasty", { ...as("500"), ...limits })).text)).toBe(1_000);
    expect(await failure(generate("nasty", { ...as("501"), ...limits }))).toMatchObject({
      code: "content_too_large",
      details: { size: 1_002, limit: 1_000 },
    });
    expect(await failure(generate("nasty", as("200000000")))).toMatchObject({ code: "content_too_large" });
  });

  test("writes any text is not misread", async () => {
    const { generate } = open("return how;");
    for (const text of ["", "\n\n", '{"id":1}\n', "\u2028 \0 \u{1f600}", "\r\n"]) {
      expect((await generate("nasty", as(text))).text).toBe(text);
    }
    expect((await generate("nasty", as("half \ud800"))).text).toBe("half \ufffd");
  });

  test.each([
    ["garbage", 'fs.writeSync(4, "hello\\n")', "that is no answer"],
    ["an answer to nobody's request that is none", 'fs.writeSync(4, "{\\"id\\":1}\\n")', "that is no answer"],
    ["a line without end", 'fs.writeSync(4, "x".repeat(100_000))', "a line that is too long"],
  ])("writes %s into the host's channel loses its process", async (_, code, message) => {
    const { generate, pids } = open(
      `const fs = await import("node:fs"); if (how) { try { ${code}; } catch {} await new Promise(() => {}); } return "fine";`,
      { maxBytes: 1_000 },
    );
    const made = failure(generate("nasty", { ...as("bad"), maxBytes: 1_000 }));
    expect(await made).toMatchObject({ code: "generation_failed", message: expect.stringContaining(message) });
    expect((await generate("nasty", { ...as(""), maxBytes: 1_000 })).text).toBe("fine");
    await until(() => !isAlive(pids[0]!));
  });

  test("ends its process in the middle fails, and the next one runs", async () => {
    const { generate, pids } = open(`
      if (how === "kill") process.kill(process.pid, "SIGKILL");
      if (how === "abort") process.abort();
      if (how !== "") await new Promise(() => {});
      return "fine";`);
    for (const [how, signal] of [
      ["kill", "SIGKILL"],
      ["abort", "SIGABRT"],
    ] as const) {
      expect(await failure(generate("nasty", as(how)))).toMatchObject({
        code: "generation_failed",
        message: `The plug-in generator nasty failed. Its process ended (${signal}).`,
      });
    }
    expect([(await generate("nasty", as(""))).text, pids.length]).toEqual(["fine", 3]);
  });

  test("makes a late mistake fails with it, and what runs beside it finishes", async () => {
    const { generate, lines } = open(`
      const late = (work) => new Promise(() => setTimeout(work, 20));
      if (how === "throws") await late(() => { throw new Error("thrown late"); });
      if (how === "rejects") await late(() => void Promise.reject(new Error("rejected late")));
      if (how === "exits") await late(() => process.exit(1));
      console.log("begun");
      await new Promise((resolve) => setTimeout(resolve, 400));
      return "undisturbed";`);
    for (const [how, message] of [
      ["throws", "thrown late"],
      ["rejects", "rejected late"],
      ["exits", "a generator must not end its process"],
    ] as const) {
      const count = lines.length;
      const beside = generate("nasty", as(""));
      await until(() => lines.length > count);
      const failed = await failure(generate("nasty", as(how)));
      expect(failed).toMatchObject({ code: "generation_failed", message: expect.stringContaining(message) });
      expect((await beside).text).toBe("undisturbed");
    }
  });

  test("loops for ever times out alone: what came after it is made by the next process", async () => {
    const { generate, lines, pids } = open('if (how) { console.log("begun"); for (;;); } return "fine";');
    const stuck = failure(generate("nasty", { ...as("loop"), timeoutMs: 500 }));
    await until(() => lines.length > 0);
    const behind = generate("nasty", { ...as(""), timeoutMs: 600 });
    expect(await stuck).toMatchObject({ code: "generation_timeout", details: { timeout_ms: 500 } });
    expect((await behind).text).toBe("fine");
    await until(() => !isAlive(pids[0]!));
  });

  test("takes too long is told to stop, and keeps its process if it does", async () => {
    const { generate, lines, pids } = open(`
      if (how === "") return "fine";
      await new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("stopped"))));`);
    expect(await failure(generate("nasty", { ...as("wait"), timeoutMs: 50 }))).toMatchObject({
      code: "generation_timeout",
      message: "The generator nasty took longer than 50 ms.",
    });
    expect([(await generate("nasty", as(""))).text, pids.length, lines]).toEqual(["fine", 1, []]);
  });

  test("does not stop when it is cancelled loses its process, but what runs beside it finishes", async () => {
    const { generate, lines, pids } = open(`
      console.log(how);
      if (how === "deaf") await new Promise(() => {});
      await new Promise((resolve) => setTimeout(resolve, 3_000));
      return "undisturbed";`);
    const stop = new AbortController();
    const deaf = failure(generate("nasty", { ...as("deaf"), signal: stop.signal }));
    const beside = generate("nasty", as("beside"));
    await until(() => lines.join().includes("beside"));
    stop.abort(new Error("not wanted"));
    expect(await deaf).toEqual(new Error("not wanted"));
    expect((await beside).text).toBe("undisturbed");
    await until(() => !isAlive(pids[0]!));
  });

  test("is asked a thousand things at once answers each with its own", async () => {
    const { generate, pids } = open(
      "await new Promise((resolve) => setTimeout(resolve, Math.random() * 20)); return how.repeat(50);",
    );
    const made = await Promise.all(
      Array.from({ length: 1_000 }, async (_, at) => (await generate("nasty", as(`<${at}>`))).text),
    );
    expect(made).toEqual(Array.from({ length: 1_000 }, (_, at) => `<${at}>`.repeat(50)));
    expect(pids).toHaveLength(1);
  });
});

describe("the host's variables", () => {
  const needs = 'upstream_dependencies: { credentials_required: ["MY_KEY", "THEIR_KEY"] },';
  const env = { MY_KEY: "hunter2-mine", THEIR_KEY: "hunter2-theirs", OTHER: "hunter2-other" };

  test("stay with the host but for those of the allow-list and those that it needs and was granted", async () => {
    const place = openPlugins({ env, granted: () => ["MY_KEY", "OTHER"] });
    const body = `return JSON.stringify(Object.keys(process.env)) + (process.env.MY_KEY ?? "").length + atLoad;`;
    const text = `const atLoad = String(process.env.MY_KEY === undefined);\n`;
    place.write("spy.generator.mjs", text + plugin("spy", body, needs));
    place.write("plain.generator.mjs", plugin("plain", "return JSON.stringify(Object.keys(process.env));"));
    await place.plugins.look();
    expect((await place.generate("plain")).text).not.toMatch(/KEY|OTHER/);
    const { text: seen } = await place.generate("spy");
    expect(seen).toContain('"MY_KEY"');
    expect(seen).not.toMatch(/THEIR_KEY|OTHER/);
    expect(seen.endsWith("12false")).toBe(true);
  });

  test("that it was granted come back neither in a text nor in a message", async () => {
    const place = openPlugins({ env, granted: () => ["MY_KEY"] });
    const body = "const text = 'It is ' + process.env.MY_KEY; if (context.how) throw new Error(text); return text;";
    place.write("leak.generator.mjs", plugin("leak", body, needs));
    const messages = await Promise.all(
      ["", "throw"].map(async (how) => ((await failure(place.generate("leak", as(how)))) as Error).message),
    );
    expect(messages).toEqual([
      "The plug-in generator leak failed. Its text holds a credential that it was given, so the text was dropped.",
      "The plug-in generator leak failed. It is [redacted]",
    ]);
  });

  test("are not given to a file that is only looked at", async () => {
    const place = openPlugins({ env, granted: () => ["MY_KEY", "THEIR_KEY"] });
    place.write(
      "eager.generator.mjs",
      `console.log("sees " + process.env.MY_KEY);\n${plugin("eager", 'return "";', needs)}`,
    );
    await place.plugins.look();
    await until(() => place.lines.length === 1);
    expect(place.lines).toEqual(["plugins/generators/eager.generator.mjs: sees undefined"]);
  });
});
