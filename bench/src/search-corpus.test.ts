/** What searching is measured on is real: the lists are those that the installed servers give out. */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { expect, test } from "vitest";
import { installed, ROOT } from "./places.ts";
import { readLists, readQuestions, repeatLists } from "./search-corpus.ts";
import { searchPlainly } from "./search-plainly.ts";

const CAPABILITIES = { sampling: {}, elicitation: {}, roots: {} };
const LISTS = JSON.parse(readFileSync(join(ROOT, "bench", "data", "tool-lists.json"), "utf8"));

const listTools = async (name: string, args: readonly string[]): Promise<unknown> => {
  const server = spawn(process.execPath, [installed(join(name, "dist", "index.js")), ...args], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const send = (message: object): boolean => server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
  const clientInfo = { name: "bench", version: "1" };
  const params = { protocolVersion: "2025-06-18", capabilities: CAPABILITIES, clientInfo };
  try {
    send({ id: 1, method: "initialize", params });
    for await (const line of createInterface({ input: server.stdout })) {
      const message = JSON.parse(line);
      if (message.id === 1) send({ method: "notifications/initialized" });
      if (message.id === 1) send({ id: 2, method: "tools/list" });
      if (message.id === 2 && "result" in message) return message.result.tools;
      if (message.method === "roots/list") send({ id: message.id, result: { roots: [] } });
    }
    throw new Error(`${name} ended before it listed its tools`);
  } finally {
    server.kill("SIGKILL");
  }
};

test.each<{ package: string; version: string; tools: unknown }>(LISTS)(
  "$package lists today what is searched",
  async ({ package: name, version, tools }) => {
    const home = mkdtempSync(join(tmpdir(), "bailiwick-search-"));
    try {
      expect(JSON.parse(readFileSync(installed(join(name, "package.json")), "utf8")).version).toBe(version);
      const args = name.endsWith("filesystem") ? [home] : [];
      expect(await listTools(name, args)).toEqual(tools);
    } finally {
      rmSync(home, { recursive: true, force: true });
    }
  },
);

test("every question is asked once and is about a tool that there is", () => {
  const { tuned, unseen } = readQuestions();
  const names = new Set(readLists().flatMap(({ tools }) => tools.map(({ name }) => name)));
  const all = [...tuned, ...unseen];
  expect(all.length).toBeGreaterThanOrEqual(120);
  expect(new Set(all.map(({ query }) => query)).size).toBe(all.length);
  expect(all.filter(({ tool }) => !names.has(tool))).toEqual([]);
  expect(new Set(all.map(({ tool }) => tool))).toEqual(names);
});

test("the lists are repeated to the very number, under other names, the same in every run", () => {
  const lists = repeatLists(readLists(), 1_000);
  const names = lists.flatMap(({ tools }) => tools.map(({ name }) => name));
  expect(new Set(names).size).toBe(1_000);
  expect(new Set(lists.map(({ provider }) => provider)).size).toBe(lists.length);
  expect(repeatLists(readLists(), 1_000)).toEqual(lists);
});

test("a plain search goes by terms covered, score and name", () => {
  const tool = (name: string, description: string) => ({ name, title: null, description, aliases: [], properties: [] });
  const tools = [tool("b__send", "mail"), tool("a__send", "mail"), tool("c__x", "send mail"), tool("d__y", "sender")];
  expect(searchPlainly(tools, "send mails", 9)).toEqual(["a__send", "b__send", "c__x", "d__y"]);
  expect(searchPlainly(tools, "send mail", 2)).toEqual(["c__x", "a__send"]);
});
