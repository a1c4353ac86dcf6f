import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import { HostError } from "../kernel/host-error.ts";
import type { StateSpace } from "../kernel/evidence.ts";
import { draft, openLog, replyKey as keyOf, temporaryDir } from "./evidence-for-tests.ts";
import type { OpenEvidenceLog } from "./open-evidence-log.ts";

const entries = (log: OpenEvidenceLog, space: StateSpace): [string, string][] =>
  [...log.state.entries(space)].map(([key, value]) => [key, value]);
const noted = () => draft({ type: "noted" });
const textOf = (log: OpenEvidenceLog, name: string): string | null => log.state.reply(keyOf(name))?.text ?? null;

describe("records beside the log", () => {
  it("are there after a restart, with the last write of each key, and gone where they were taken out", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    await Promise.all([
      log.append(noted(), { state: [{ space: "approval", key: "apr_1", value: '{"state":"pending"}' }] }),
      log.append(noted(), {
        state: [
          { space: "approval", key: "apr_1", value: '{"state":"granted"}' },
          { space: "approval", key: "apr_2", value: "\u{1f512} caf\u00e9" },
          { space: "limit", key: "apr_1", value: "" },
        ],
      }),
      log.append(noted(), { state: [{ space: "approval", key: "apr_3", value: "x" }] }),
    ]);
    await log.append(noted(), { state: [{ space: "approval", key: "apr_3", value: null }] });
    expect(entries(log, "approval")).toEqual([]);
    await log.close();
    const again = await openLog(dir);
    expect(entries(again, "approval")).toEqual([
      ["apr_1", '{"state":"granted"}'],
      ["apr_2", "\u{1f512} caf\u00e9"],
    ]);
    expect(entries(again, "limit")).toEqual([["apr_1", ""]]);
    expect(entries(again, "witness")).toEqual([]);
    expect(again.openedAt).toBe(4);
  });

  it("are not written when their event is not", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    await log.append(noted());
    const other = new DatabaseSync(join(dir, "evidence.db"));
    other.exec("BEGIN IMMEDIATE");
    const reply = { key: keyOf("a"), text: "never" };
    const state = [{ space: "limit", key: "k", value: "v" }] as const;
    await expect(log.append(noted(), { state, reply })).rejects.toMatchObject({ kind: "evidence_unavailable" });
    other.close();
    await log.append(noted());
    expect(log.state.reply(reply.key)).toBeNull();
    await log.close();
    expect(entries(await openLog(dir), "limit")).toEqual([]);
  });

  it("must be one line each, and a reply's key a hash", async () => {
    const log = await openLog(temporaryDir());
    const bad = [
      { state: [{ space: "limit", key: "a\nb", value: "v" }] },
      { state: [{ space: "limit", key: "a", value: "v\n+approval\nforged\nvalue" }] },
      { reply: { key: keyOf("a"), text: "two\nlines" } },
      { reply: { key: keyOf("a"), text: `two\n${"lines".repeat(100_000)}` } },
      { reply: { key: "short", text: "x" } },
      { reply: { key: `${keyOf("a").slice(0, 31)}g`, text: "x" } },
    ] as const;
    for (const beside of bad) await expect(log.append(noted(), beside)).rejects.toBeInstanceOf(HostError);
    expect((await log.append(noted())).sequence).toBe(1);
  });
});

describe("answers that are given again", () => {
  it("are found once they are committed, large and small, the latest of a key, also after a restart", async () => {
    const dir = temporaryDir();
    const log = await openLog(dir);
    const large = `"${"\u00e9\u{1f512}".repeat(1_000_000)}"`;
    expect(textOf(log, "a")).toBeNull();
    await Promise.all([
      log.append(noted(), { reply: { key: keyOf("a"), text: "first" } }),
      log.append(noted(), { reply: { key: keyOf("large"), text: large } }),
      log.append(noted()),
      log.append(noted(), { reply: { key: keyOf("b"), text: "b" }, state: [{ space: "limit", key: "k", value: "v" }] }),
      log.append(noted(), { reply: { key: keyOf("a"), text: "second" } }),
    ]);
    const expectAll = (from: OpenEvidenceLog): void => {
      expect(textOf(from, "a")).toBe("second");
      expect(textOf(from, "b")).toBe("b");
      expect(textOf(from, "large") === large).toBe(true);
      expect(textOf(from, "c")).toBeNull();
    };
    expectAll(log);
    await log.append(noted(), { reply: { key: keyOf("c"), text: "c" } });
    expect(textOf(log, "c")).toBe("c");
    await log.close();
    const again = await openLog(dir);
    expect(textOf(again, "c")).toBe("c");
    await again.append(noted(), { reply: { key: keyOf("c"), text: "other" } });
    expect(textOf(again, "c")).toBe("other");
  });

  it("are kept in memory for a log in memory", async () => {
    const log = await openLog(temporaryDir(), { durability: "memory" });
    await log.append(noted(), { reply: { key: keyOf("a"), text: "a" } });
    expect(textOf(log, "a")).toBe("a");
    expect(textOf(log, "b")).toBeNull();
  });

  it.each(["before-execution", "memory"] as const)(
    "come with the events that they were written with: %s",
    async (durability) => {
      const log = await openLog(temporaryDir(), { durability });
      const idsOf = (name: string): readonly string[] | undefined => log.state.reply(keyOf(name))?.eventIds;
      const [one, , three] = await Promise.all([
        log.append(noted(), { reply: { key: keyOf("one"), text: "a b" } }),
        log.append(noted()),
        log.appendAll([noted(), noted(), noted()], { reply: { key: keyOf("three"), text: "c" } }),
      ]);
      expect(idsOf("one")).toEqual([one.eventId]);
      expect(idsOf("three")).toEqual(three.map(({ eventId }) => eventId));
      expect(new Set(idsOf("three")).size).toBe(3);
      expect([textOf(log, "one"), textOf(log, "three")]).toEqual(["a b", "c"]);
      const [invocationId, ids] = ['inv \\ "x"', { id: "job 7", causationId: "c", parentId: "p", traceId: "t" }];
      const correlation = { ...ids, fresh: false };
      const last = { ...noted(), invocationId, correlation };
      const begun = await log.appendAll([noted(), noted()]);
      const eventIds = begun.map(({ eventId }) => eventId);
      const run = { sequence: begun.at(-1)?.sequence ?? 0, count: 2, eventIds };
      await log.append(noted());
      const end = await log.append(noted(), { reply: { key: keyOf("begun"), text: "f", begun: run } });
      expect(idsOf("begun")).toEqual([...begun, end].map(({ eventId }) => eventId));
      await log.appendAll([noted(), last], { reply: { key: keyOf("whose"), text: "d" } });
      expect(log.state.reply(keyOf("whose"))?.call).toMatchObject({
        invocationId,
        correlation,
        outcome: null,
        capabilityId: last.capabilityId,
        capabilityVersion: "1.0.0",
        at: expect.any(Number),
      });
    },
  );
});
