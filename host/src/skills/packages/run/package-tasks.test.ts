import { describe, expect, test } from "vitest";
import type { ProviderAnswer } from "../../../kernel/provider.ts";
import { rawJson } from "../../../kernel/raw-json.ts";
import { PackageTasks } from "./package-tasks.ts";
import type { ReadOutput } from "./read-output.ts";

const open = new AbortController().signal;

const output = (text = ""): ReadOutput => {
  const value = { content: [], text };
  return { json: rawJson(JSON.stringify(value)), value, isError: false };
};

const idOf = (answer: ProviderAnswer): string => (JSON.parse(answer.json) as { taskId: string }).taskId;
const begin = async (tasks: PackageTasks, text?: string): Promise<string> => {
  const id = idOf(tasks.begin(() => Promise.resolve(output(text))));
  await tasks.settled();
  return id;
};
const stateOf = (tasks: PackageTasks, id: string): unknown =>
  (JSON.parse(tasks.get(id).json) as { status?: string }).status ?? "unknown";

const endless = (signal: AbortSignal): Promise<ReadOutput> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(new Error("ended")), { once: true }));

describe("the tasks of a package", () => {
  test("that have ended keep no other from beginning, and those that were fetched go first", async () => {
    const tasks = new PackageTasks("kit");
    const unfetched = await begin(tasks);
    const fetched = await begin(tasks);
    expect(stateOf(tasks, fetched)).toBe("completed");
    const later: string[] = [];
    for (let count = 0; count < 999; count++) later.push(await begin(tasks));
    expect(stateOf(tasks, fetched)).toBe("unknown");
    for (let count = 0; count < 999; count++) later.push(await begin(tasks));
    expect(stateOf(tasks, unfetched)).toBe("unknown");
    expect(later.filter((id) => stateOf(tasks, id) === "completed")).toEqual(later.slice(-1_000));
  });

  test("that run are so many and no more; what has ended makes no difference", async () => {
    const tasks = new PackageTasks("kit");
    for (let count = 0; count < 300; count++) await begin(tasks);
    const running = Array.from({ length: 200 }, () => idOf(tasks.begin(endless)));
    expect(() => tasks.begin(endless)).toThrow(expect.objectContaining({ kind: "not_ready" }));
    await tasks.cancel(running[0] ?? "", open);
    running.push(idOf(tasks.begin(endless)));
    for (const id of running.slice(1)) expect(stateOf(tasks, id)).toBe("working");
    await Promise.all(running.map((id) => tasks.cancel(id, open)));
  });

  test("whose results are large go as soon as they were fetched", async () => {
    const tasks = new PackageTasks("kit");
    const text = "x".repeat(30 << 20);
    const [first, second, third] = [await begin(tasks, text), await begin(tasks, text), await begin(tasks, text)];
    expect([stateOf(tasks, second), stateOf(tasks, third)]).toEqual(["completed", "completed"]);
    await begin(tasks);
    expect([first, second, third].map((id) => stateOf(tasks, id))).toEqual(["completed", "unknown", "completed"]);
  });

  test("whose results nobody fetches go too, the oldest first, before they fill the memory", async () => {
    const tasks = new PackageTasks("kit");
    const ids: string[] = [];
    for (let count = 0; count < 12; count++) ids.push(await begin(tasks, "x".repeat(30 << 20)));
    const states = ids.map((id) => stateOf(tasks, id));
    expect(states).toEqual([...Array<string>(4).fill("unknown"), ...Array<string>(8).fill("completed")]);
  });
});
