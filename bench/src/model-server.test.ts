/** The servers that stand in for a model and for bundles with many tools answer as what is measured on them supposes. */
import { spawn, type ChildProcess } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { afterEach, expect, test } from "vitest";
import { freePort, program } from "./places.ts";
import { timeFirstPart } from "./time-first-part.ts";
import { createPost } from "./target.ts";

const started: ChildProcess[] = [];
const homes: string[] = [];

const run = (name: string, arg: string): ChildProcess => {
  const child = spawn(process.execPath, [program(name), arg], { stdio: ["pipe", "pipe", "inherit"] });
  started.push(child);
  return child;
};

afterEach(() => {
  for (const child of started.splice(0)) child.kill("SIGKILL");
  for (const home of homes.splice(0)) rmSync(home, { recursive: true, force: true });
});

const startModel = async (): Promise<string> => {
  const url = `http://127.0.0.1:${await freePort()}/v1`;
  run("model-server", new URL(url).port);
  for (let tries = 0; tries < 400; tries++) {
    if ((await fetch(url).catch(() => null)) !== null) return url;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error("it does not listen");
};

const bodyOf = (role: string, content: unknown): string =>
  JSON.stringify({
    model: "m",
    messages: [
      { role: "system", content: "echo(no)" },
      { role, content },
    ],
  });

test("the model calls the tool where it is asked to, repeats what a tool gave, and else answers at once", async () => {
  const url = await startModel();
  const ask = async (body: string): Promise<string> => (await fetch(url, { method: "POST", body })).text();
  expect(await ask(bodyOf("user", "echo(a b) and more"))).toContain('"arguments":"{\\"text\\":\\"a b\\"}"');
  expect(await ask(bodyOf("user", [{ type: "text", text: "echo(c)" }]))).toContain('"finish_reason":"tool_calls"');
  expect(await ask(bodyOf("tool", "a b"))).toContain('"content":"a b"');
  expect(await ask(bodyOf("user", "hello"))).toContain('"content":"ok"');
  expect(await (await fetch(url)).json()).toEqual([bodyOf("tool", "a b"), bodyOf("user", "hello")]);
});

test("the time until a text comes is told, and a text that never comes is an error", async () => {
  const url = new URL(await startModel());
  const request = createPost(url, {})(bodyOf("user", "hello"));
  expect(await timeFirstPart(url, request, '"content":"ok"')).toBeGreaterThan(0);
  await expect(timeFirstPart(url, request, "never said")).rejects.toThrow("never said is not in the answer");
});

test("a bundle lists the tools of its file, and one more after each call", async () => {
  const home = mkdtempSync(join(tmpdir(), "bailiwick-lists-"));
  homes.push(home);
  const file = join(home, "tools.json");
  writeFileSync(file, JSON.stringify(Array.from({ length: 501 }, (_, index) => ({ name: `t${index}` }))));
  const child = run("list-server", file);
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  const next = async (): Promise<any> => JSON.parse((await lines.next()).value as string);
  const send = (message: object): unknown => child.stdin?.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  send({ id: 1, method: "tools/list" });
  const first = await next();
  expect([first.result.tools.length, first.result.nextCursor]).toEqual([500, "500"]);
  send({ id: 2, method: "tools/call", params: { name: "t0" } });
  expect((await next()).method).toBe("notifications/tools/list_changed");
  expect((await next()).result.content[0].text).toBe("1");
  send({ id: 3, method: "tools/list", params: { cursor: "500" } });
  expect((await next()).result.tools.map(({ name }: { name: string }) => name)).toEqual(["t500", "added-1"]);
});
