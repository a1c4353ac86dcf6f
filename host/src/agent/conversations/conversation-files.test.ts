import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import {
  linesOf,
  logOf,
  metaOf,
  openIn,
  plant,
  QUERY,
  question,
  refusalOf,
  temporaryDir,
} from "./conversations-for-tests.ts";

const ID = "conv_abcdef123456";
const HEAD = { id: ID, createdAt: "2026-11-15T10:30:00.000Z" };
const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);

describe("the folder of conversations", () => {
  it("is for its owner alone, with everything in it", async () => {
    const dir = join(temporaryDir(), "workspaces", "ws_a", "conversations");
    const store = openIn(dir);
    const { id } = await store.create();
    const fork = await store.fork(id, null);
    await store.close();
    const paths = [dir, join(dir, ".."), logOf(dir, id), metaOf(dir, id), logOf(dir, fork.id), metaOf(dir, fork.id)];
    expect(paths.map(modeOf)).toEqual(["700", "700", "600", "600", "600", "600"]);
  });

  it("is not made before there is something to put in", async () => {
    const dir = join(temporaryDir(), "none");
    const store = openIn(dir);
    await store.list(QUERY);
    await refusalOf(store.open(ID));
    await refusalOf(store.delete(ID));
    expect(() => statSync(dir)).toThrow(/ENOENT/);
  });

  it("closes a log to others that was copied here open to all", async () => {
    const dir = temporaryDir();
    plant(dir, ID, [HEAD]);
    chmodSync(logOf(dir, ID), 0o644);
    await openIn(dir).open(ID);
    expect(modeOf(logOf(dir, ID))).toBe("600");
  });

  it("writes lines as documented", async () => {
    const dir = temporaryDir();
    const store = openIn(dir);
    const { id, createdAt } = await store.create();
    await (await store.open(id)).append({ role: "user", content: "Which?", ts: createdAt }, 0.5);
    expect(linesOf(dir, id)).toEqual([
      `{"id":"${id}","createdAt":"${createdAt}"}`,
      `{"role":"user","content":"Which?","ts":"${createdAt}","costUsd":0.5}`,
      "",
    ]);
  });

  it("shows conversations alone, whatever else lies there", async () => {
    const dir = temporaryDir();
    plant(dir, ID, [HEAD, question("mine")]);
    const outside = join(temporaryDir(), "outside.jsonl");
    writeFileSync(outside, `${JSON.stringify(HEAD)}\n`);
    symlinkSync(outside, logOf(dir, "conv_linked"));
    symlinkSync("/nowhere", logOf(dir, "conv_nowhere"));
    mkdirSync(logOf(dir, "conv_folder"));
    execFileSync("sh", ["-c", 'mkfifo "$1"', "sh", logOf(dir, "conv_pipeline")]);
    for (const name of ["conv_UPPER1.jsonl", "conv_a.jsonl", "notes.txt", "index.db", ".jsonl", "conv_abcdef.json"]) {
      writeFileSync(join(dir, name), "x");
    }
    const store = openIn(dir);
    expect((await store.list(QUERY)).conversations.map(({ id }) => id)).toEqual([ID]);
    for (const id of ["conv_linked", "conv_nowhere", "conv_folder", "conv_pipeline"]) {
      const asked = [store.open(id), store.fork(id, null), store.rename(id, "x"), store.delete(id)];
      const refusals = await Promise.all(asked.map(refusalOf));
      expect(refusals.map(({ kind }) => kind)).toEqual(["not_found", "not_found", "not_found", "not_found"]);
    }
    expect(readFileSync(outside, "utf8")).toBe(`${JSON.stringify(HEAD)}\n`);
  });

  it("never writes through a link, be it in place of a log, a meta file or a draft", async () => {
    const dir = temporaryDir();
    const precious = join(temporaryDir(), "precious");
    writeFileSync(precious, "precious");
    const store = openIn(dir);
    plant(dir, ID, [HEAD]);
    symlinkSync(precious, metaOf(dir, ID));
    symlinkSync(precious, `${metaOf(dir, ID)}.new`);
    const conversation = await store.open(ID);
    await conversation.append(question("a"));
    await store.rename(ID, "b");
    await store.close();
    expect(readFileSync(precious, "utf8")).toBe("precious");
    expect(lstatSync(metaOf(dir, ID)).isFile()).toBe(true);
  });

  it("believes no meta file behind a link", async () => {
    const dir = temporaryDir();
    const first = openIn(dir);
    plant(dir, ID, [HEAD, question("mine")]);
    await first.list(QUERY);
    await first.close();
    const planted = join(temporaryDir(), "planted");
    writeFileSync(planted, readFileSync(metaOf(dir, ID), "utf8").replaceAll("mine", "theirs"));
    rmSync(metaOf(dir, ID));
    symlinkSync(planted, metaOf(dir, ID));
    expect((await openIn(dir).list(QUERY)).conversations).toMatchObject([{ title: "mine" }]);
  });

  it.runIf(process.geteuid?.() === 0)("lists what it may not read, and opening says what to do", async () => {
    const dir = temporaryDir();
    const [closed, open] = ["conv_closed", "conv_opened"];
    for (const id of [closed, open]) plant(dir, id, [{ ...HEAD, id }, question(id)]);
    const nobody = 65_534;
    chownSync(dir, nobody, nobody);
    chownSync(logOf(dir, open), nobody, nobody);
    chmodSync(logOf(dir, closed), 0o600);
    process.seteuid?.(nobody);
    try {
      const store = openIn(dir);
      const { conversations } = await store.list({ ...QUERY, sortBy: "createdAt" });
      expect(conversations.map(({ title }) => title).toSorted()).toEqual(["(cannot be read)", open]);
      const refusal = await refusalOf(store.open(closed));
      expect(refusal.kind).toBe("unavailable");
      expect(refusal.next).toContain(logOf(dir, closed));
      chmodSync(dir, 0o500);
      const conversation = await store.open(open);
      await conversation.append(question("the folder is read-only, the log is not"));
      expect(await refusalOf(store.rename(open, "x"))).toMatchObject({ kind: "unavailable" });
      expect(conversation.summary().title).toBe(open);
      expect(await refusalOf(store.create())).toMatchObject({ kind: "unavailable" });
      expect(await refusalOf(store.delete(open))).toMatchObject({ kind: "unavailable" });
      expect((await store.open(open)).messages).toHaveLength(2);
    } finally {
      process.seteuid?.(0);
    }
  });
});
