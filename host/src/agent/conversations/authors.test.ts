import { describe, expect, it } from "vitest";
import {
  answer,
  linesOf,
  metaOf,
  openIn,
  plant,
  question,
  QUERY,
  STORES,
  temporaryDir,
} from "./conversations-for-tests.ts";
import { rmSync } from "node:fs";

describe.each(Object.entries(STORES))("who wrote in a conversation %s", (_where, openStore) => {
  it("is each who asked something, once, and whoever is not known", async () => {
    const store = openStore();
    const conversation = await store.open((await store.create()).id);
    expect(conversation.authors()).toEqual([]);
    for (const by of ["person:ann", "person:ann", "agent:x for person:ann"]) {
      await conversation.append(question("?", { by }));
      await conversation.append(answer("!"));
    }
    expect(conversation.authors()).toEqual(["person:ann", "agent:x for person:ann"]);
    await conversation.append(question("?"));
    expect(conversation.authors()).toContain("");
  });

  it("is nobody who is known where they are a crowd", async () => {
    const store = openStore();
    const conversation = await store.open((await store.create()).id);
    for (let n = 0; n < 40; n++) await conversation.append(question("?", { by: `person:${n}` }));
    expect(conversation.authors()).toEqual([""]);
    const long = await store.open((await store.create()).id);
    await long.append(question("?", { by: "x".repeat(10_000) }));
    expect(long.authors()).toEqual([""]);
  });

  it("is of a fork whoever made it and who wrote since, and nobody else", async () => {
    const store = openStore();
    const { id } = await store.create();
    const conversation = await store.open(id);
    await conversation.append(question("?", { by: "person:ann" }));
    await conversation.append(answer("!"));
    const fork = await store.open((await store.fork(id, null, "person:eve")).id);
    expect([fork.authors(), fork.messages.length]).toEqual([["person:eve"], 2]);
    await fork.append(question("?", { by: "person:bob" }));
    expect(fork.authors()).toEqual(["person:eve", "person:bob"]);
    expect((await store.open((await store.fork(id, 0, "person:eve")).id)).authors()).toEqual(["person:eve"]);
    expect((await store.open((await store.fork(id, null)).id)).authors()).toEqual(["person:ann"]);
    expect(conversation.authors()).toEqual(["person:ann"]);
  });

  it("costs what is known, and nothing that could pass for it where one answer's cost is not", async () => {
    const store = openStore();
    const { id } = await store.create();
    const conversation = await store.open(id);
    const total = (): number | null => conversation.summary().totalCostUsd;
    await conversation.append(question("?"));
    expect(total()).toBeNull();
    await conversation.append(answer("!", { model: "m" }), 0.25);
    await conversation.append(answer("It was interrupted."));
    await conversation.append(answer("!", { model: "m" }), 0.5);
    expect(total()).toBe(0.75);
    await conversation.append(answer("!", { model: "free" }), null);
    await conversation.append(answer("!", { model: "m" }), 0.5);
    expect(total()).toBeNull();
    expect((await store.list(QUERY)).conversations[0]?.totalCostUsd).toBeNull();
  });
});

it("is the same when it is read again, from the meta file and from the log alone", async () => {
  const dir = temporaryDir();
  const store = openIn(dir);
  const { id } = await store.create();
  await (await store.open(id)).append(question("?", { by: "person:ann" }));
  const fork = (await store.fork(id, null, "person:eve")).id;
  await store.close();
  expect(JSON.parse(linesOf(dir, fork)[0] ?? "")).toMatchObject({ by: "person:eve", forkedFrom: { id, atMessage: 1 } });
  for (const isRebuilt of [false, true]) {
    if (isRebuilt) for (const each of [id, fork]) rmSync(metaOf(dir, each), { force: true });
    const again = openIn(dir);
    const seen: string[] = [];
    await again.list(QUERY, (authors) => seen.push(authors.join()) > 0);
    expect(seen.toSorted()).toEqual(["person:ann", "person:eve"]);
    expect((await again.open(fork)).authors()).toEqual(["person:eve"]);
    await again.close();
  }
});

it("is not what the head of a log claims that is no fork", async () => {
  const dir = temporaryDir();
  plant(dir, "conv_planted1", [
    { id: "conv_planted1", createdAt: "2026-01-02T03:04:05.678Z", by: "person:ann" },
    { role: "user", content: "?", ts: "2026-01-02T03:04:05.678Z", by: "person:bob" },
  ]);
  expect((await openIn(dir).open("conv_planted1")).authors()).toEqual(["person:bob"]);
});
