import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import {
  answer,
  linesOf,
  logOf,
  metaOf,
  openIn,
  QUERY,
  question,
  refusalOf,
  temporaryDir,
} from "./conversations-for-tests.ts";

const PROGRAM = fileURLToPath(new URL("./append-until-killed-for-tests.ts", import.meta.url));

const FULL_PROGRAM = fileURLToPath(new URL("./append-in-little-room-for-tests.ts", import.meta.url));

/** Runs the program until it has told so many numbers, kills it, and returns the last number. */
const appendUntilKilled = async (dir: string, id: string, many: number): Promise<number> => {
  const child = spawn(process.execPath, [PROGRAM, dir, id], { stdio: ["ignore", "pipe", "inherit"] });
  let told = "";
  for await (const chunk of child.stdout) {
    told += String(chunk);
    if (told.split("\n").length > many) break;
  }
  child.kill("SIGKILL");
  await once(child, "exit");
  return Number(told.split("\n").at(-2));
};

describe("a conversation after a crash", () => {
  it("has every message that was said to be stored, once and in order, whenever the host is killed", async () => {
    const dir = temporaryDir();
    const { id } = await openIn(dir).create();
    const [head] = linesOf(dir, id);
    for (const many of [1, 7, 23, 40]) {
      const last = await appendUntilKilled(dir, id, many);
      const store = openIn(dir);
      const listed = (await store.list(QUERY)).conversations[0];
      const conversation = await store.open(id);
      const numbers = conversation.messages.map(({ content }) => Number.parseInt(content, 10));
      expect(numbers).toEqual(Array.from(numbers, (_, at) => at));
      expect(numbers.length).toBeGreaterThan(last);
      expect(listed).toEqual(conversation.summary());
      expect(conversation.summary()).toMatchObject({ messageCount: numbers.length, totalCostUsd: numbers.length });
      expect(linesOf(dir, id)[0]).toBe(head);
      await store.close();
    }
  });

  it("loses nothing but an unfinished last line, wherever that was cut", async () => {
    const dir = temporaryDir();
    const first = openIn(dir);
    const { id } = await first.create();
    const original = await first.open(id);
    await original.append(question("gr\u00fc\u00dfe \u{1f600}"));
    await original.append(answer("b", { inputTokens: 3 }), 0.5);
    await first.close();
    const whole = readFileSync(logOf(dir, id));
    const headEnd = whole.indexOf("\n");
    const secondEnd = whole.indexOf("\n", headEnd + 1);
    for (let cut = headEnd; cut <= whole.length; cut++) {
      writeFileSync(logOf(dir, id), whole.subarray(0, cut));
      const store = openIn(dir);
      const conversation = await store.open(id);
      // A line without its line break is whole.
      const count = Number(cut >= secondEnd) + Number(cut >= whole.length - 1);
      expect(conversation.messages).toEqual(original.messages.slice(0, count));
      const isTorn = ![headEnd, headEnd + 1, secondEnd, secondEnd + 1, whole.length - 1, whole.length].includes(cut);
      expect(conversation.defect === null).toBe(!isTorn);
      await conversation.append(question("after"));
      expect(linesOf(dir, id)).toHaveLength(count + 3);
      await store.close();
    }
  });

  it("says once that its end was cut off, and how much", async () => {
    const dir = temporaryDir();
    const first = openIn(dir);
    const { id } = await first.create();
    await (await first.open(id)).append(question("a"));
    await first.close();
    appendFileSync(logOf(dir, id), '{"role":"assistant","con');
    const second = openIn(dir);
    expect((await second.open(id)).defect).toBe("Its end, 24 bytes of an unfinished line 3, was cut off.");
    await second.close();
    expect((await openIn(dir).open(id)).defect).toBeNull();
  });

  it("never was, if it ended before its first line was written", async () => {
    const dir = temporaryDir();
    const store = openIn(dir);
    for (const [id, text] of [
      ["conv_aaaaaa", ""],
      ["conv_bbbbbb", '{"id":"conv_bbb'],
    ] as const) {
      writeFileSync(logOf(dir, id), text);
      expect(await refusalOf(store.open(id))).toMatchObject({ kind: "not_found" });
      expect(readFileSync(logOf(dir, id), "utf8")).toBe(text);
    }
    expect((await store.list(QUERY)).totalCount).toBe(0);
  });

  it("is listed as it is, though its meta file is missing, old, broken or another's", async () => {
    const dir = temporaryDir();
    const first = openIn(dir);
    const { id } = await first.create();
    const conversation = await first.open(id);
    await conversation.append(question("a", { inputTokens: 2 }), 0.5);
    await first.rename(id, "Named");
    const old = readFileSync(metaOf(dir, id));
    await conversation.append(answer("b", { inputTokens: 3 }), 0.25);
    await first.close();
    const fits = readFileSync(metaOf(dir, id), "utf8");
    const now = conversation.summary();
    const broken = ["", "{", "[]", "null", "\0".repeat(500), fits.replace(/"messageCount":\d+/, '"messageCount":"x"')];
    const others = [fits.replace(id, "conv_zzzzzz"), fits.replace("Named", "N".repeat(5_000)), "x".repeat(100_000)];
    for (const text of [old, ...broken, ...others]) {
      writeFileSync(metaOf(dir, id), text);
      const store = openIn(dir);
      const title = text === old ? "Named" : "a";
      expect((await store.list(QUERY)).conversations).toEqual([{ ...now, title }]);
      await store.close();
      const again = JSON.parse(readFileSync(metaOf(dir, id), "utf8"));
      expect(again).toMatchObject({ ...now, title, logBytes: statSync(logOf(dir, id)).size });
    }
  });

  it("reads no log for a list where the meta files fit", async () => {
    const dir = temporaryDir();
    const first = openIn(dir);
    const { id } = await first.create();
    await (await first.open(id)).append(question("as it was"));
    await first.close();
    const { size } = statSync(logOf(dir, id));
    writeFileSync(logOf(dir, id), "x".repeat(size));
    const { conversations } = await openIn(dir).list(QUERY);
    expect(conversations).toMatchObject([{ title: "as it was" }]);
  });

  it("is whole, and goes on, where a line found no room on the disk", async () => {
    const dir = temporaryDir();
    const { id } = await openIn(dir).create();
    // 512 bytes each: no file can become longer than 50 kB.
    const limited = ["-c", 'ulimit -f 100; exec "$0" "$@"', process.execPath, FULL_PROGRAM, dir, id];
    const kinds = execFileSync("sh", limited, { encoding: "utf8" });
    expect(kinds).toBe("stored unavailable stored ");
    const conversation = await openIn(dir).open(id);
    expect(conversation.defect).toBeNull();
    expect(conversation.messages.map(({ content }) => content.length)).toEqual([100, 200]);
  });

  it("leaves no drafts behind", async () => {
    const dir = temporaryDir();
    const store = openIn(dir);
    const { id } = await store.create();
    writeFileSync(`${metaOf(dir, id)}.new`, "left over");
    await store.rename(id, "x");
    await store.fork(id, null);
    await store.close();
    expect(readdirSync(dir).filter((name) => name.endsWith(".new"))).toEqual([]);
  });

  it("refuses to add to a log that another program changed, and takes the message when it is opened again", async () => {
    const dir = temporaryDir();
    const store = openIn(dir);
    const { id } = await store.create();
    const conversation = await store.open(id);
    await conversation.append(question("a"));
    appendFileSync(logOf(dir, id), `${JSON.stringify(question("by another"))}\n`);
    expect(await refusalOf(conversation.append(question("b")))).toMatchObject({ kind: "unavailable" });
    const again = await store.open(id);
    await again.append(question("b"));
    expect(again.messages.map(({ content }) => content)).toEqual(["a", "by another", "b"]);
    truncateSync(logOf(dir, id), 0);
    expect(await refusalOf(again.append(question("c")))).toMatchObject({ kind: "unavailable" });
    expect(readFileSync(join(dir, `${id}.jsonl`), "utf8")).toBe("");
  });
});
