import type { Worker } from "node:worker_threads";
import { describe, expect, it, onTestFinished } from "vitest";
import type { MergeOrder } from "../workbench.ts";
import { createRenderer, type Renderer, type RendererOptions } from "./create-renderer.ts";

const watchThreads = (): readonly Worker[] => {
  const threads: Worker[] = [];
  const add = (thread: Worker): void => void threads.push(thread);
  process.on("worker", add);
  onTestFinished(() => void process.off("worker", add));
  return threads;
};

const open = (options: RendererOptions = {}): Renderer => {
  const renderer = createRenderer(options);
  onTestFinished(() => renderer.close());
  return renderer;
};

const { signal } = new AbortController();

const order = (texts: readonly string[], over: Partial<MergeOrder> = {}): MergeOrder => ({
  parts: texts.map((text, at) => ({ content_id: `p${at}`, required: at === 0, texts: [{ text, format: "json" }] })),
  formats: ["json"],
  arrays: "concat",
  maxBytes: 10_000_000,
  signal,
  ...over,
});

const large = (name: string): string => JSON.stringify({ [name]: "x".repeat(200_000) });
const lines = (step: number): string =>
  Array.from({ length: 100_000 }, (_, at) => `${(at * step) % 99_991}`).join("\n");

describe("texts of an artifact", () => {
  it("are merged in a thread, as they would be without one", async () => {
    const threads = watchThreads();
    const { merge } = open();
    const small = await merge(order(['{"a":1}', '{"b":2}']));
    expect(threads.length).toBe(0);
    expect(small).toEqual({ texts: ['{\n  "a": 1,\n  "b": 2\n}\n'], used: [0, 1], skipped: [] });
    const { texts, used, skipped } = await merge(order([large("a"), "[1]", large("b")], { formats: ["json", "json"] }));
    expect(threads.length).toBe(1);
    expect(Object.keys(JSON.parse(texts[1]!) as object)).toEqual(["a", "b"]);
    expect(used).toEqual([0, 2]);
    expect(skipped).toEqual([{ content_id: "p1", reason: 'The text of "p1" cannot be merged: it is no object.' }]);
  });

  it("that cannot be merged are refused as they would be without a thread", async () => {
    const { merge } = open();
    await expect(merge(order([`[${large("a")}]`]))).rejects.toMatchObject({
      code: "assembly_failed",
      message: 'The text of "p0" cannot be merged: it is no object.',
      details: { content_id: "p0" },
    });
    await expect(merge(order([large("a")], { maxBytes: 1_000 }))).rejects.toMatchObject({ code: "content_too_large" });
  });

  it("that take too long are given up, and the next ones are merged", async () => {
    const { merge } = open({ mergeMs: 1 });
    const text = `{"a":[${Array.from({ length: 400_000 }, (_, at) => at).join(",")}]}`;
    await expect(merge(order([text, text], { arrays: "unique" }))).rejects.toMatchObject({
      code: "assembly_failed",
      message: "The texts take longer than 1 ms to merge",
    });
    expect((await merge(order(["{}"]))).texts).toEqual(["{}\n"]);
  });

  it("are left by their caller, and by the host when it stops", async () => {
    const stop = new AbortController();
    const { merge, close } = open();
    const left = merge(order([large("a")], { signal: stop.signal }));
    stop.abort(new Error("gone"));
    await expect(left).rejects.toThrow("gone");
    const [stopped] = await Promise.all([merge(order([large("a")])).catch((error: unknown) => error), close()]);
    expect(stopped).toMatchObject({ message: "The texts were not merged: the host is stopping" });
  });
});

describe("two texts", () => {
  it("are compared in a thread where they are large", async () => {
    const threads = watchThreads();
    const { compare } = open();
    expect(await compare({ before: "a\nb", after: "a\nc", signal })).toMatchObject({
      summary: "Updated: +1 -1 ~1 lines",
    });
    const before = lines(1);
    expect(await compare({ before, after: before, signal })).toMatchObject({ summary: "No changes detected" });
    expect(threads.length).toBe(0);
    const after = `first\n${before}\nlast`.replace("\n500\n", "\n");
    expect(await compare({ before, after, signal })).toMatchObject({ lines_added: 2, lines_removed: 1 });
    expect(threads.length).toBe(1);
  });

  it("that are not compared in time are told roughly", async () => {
    const { compare } = open({ compareMs: 1 });
    const changes = await compare({ before: `a\n${lines(1)}`, after: `a\n${lines(7)}`, signal });
    expect(changes.lines_added).toBe(changes.lines_removed);
    expect(changes.lines_added).toBe(99_999);
  });

  it("are left by their caller", async () => {
    const stop = new AbortController();
    const { compare } = open();
    const left = compare({ before: lines(1), after: lines(7), signal: stop.signal });
    stop.abort(new Error("gone"));
    await expect(left).rejects.toThrow("gone");
  });
});
