import { expect, it } from "vitest";
import { unknownReply, writeOnce } from "../kernel/once-text.ts";
import { draft, ended, openLog, replyKey, temporaryDir } from "./evidence-for-tests.ts";

const HASH = "Zm9vYmFyYmF6cXV4LV8xMg";
const payloadOf = (once: string | null, tool = "everything__echo"): string =>
  `{"capability_uri": "everything__echo:1.0.0", ${once === null ? "" : `"once": "${once}", `}"tool": "${tool}"}`;
const onceOf = (name: string): string => writeOnce({ key: replyKey(name), hash: HASH });

it.each([
  ["as it is", []],
  ["where patterns of the operator would take its binding out", ["[0-9a-f]{8,}", "Zm9v\\w+"]],
])(
  "a repeat of a call that a crash left open hears that nobody knows, with both its events: %s",
  async (_, patterns) => {
    const dir = temporaryDir();
    const log = await openLog(dir, { redactPatterns: patterns });
    const started = draft({ payload: payloadOf(onceOf("lost")), own: true });
    const { eventId } = await log.append(started);
    expect(log.state.reply(replyKey("lost"))).toBeNull();
    await log.close();
    const after = await openLog(dir, { redactPatterns: patterns });
    expect(after.recovered).toBe(1);
    const kept = after.state.reply(replyKey("lost"));
    expect(kept?.text).toBe(unknownReply(HASH, "everything__echo", "everything__echo"));
    expect(kept?.eventIds).toEqual([eventId, expect.stringMatching(/^evt_c1_/)]);
    expect(kept?.call).toMatchObject({ invocationId: started.invocationId, outcome: "indeterminate" });
    expect(kept?.call?.begunAt).toBeLessThanOrEqual(kept?.call?.at ?? 0);
    expect(kept?.call?.begunAt).toBeGreaterThan(0);
    await after.close();
    expect((await openLog(dir)).state.reply(replyKey("lost"))?.text).toBe(kept?.text);
  },
);

it("nothing is kept for one that had ended, is followed on, has no binding, or one that is none", async () => {
  const dir = temporaryDir();
  const log = await openLog(dir);
  const done = draft({ payload: payloadOf(onceOf("done")) });
  await log.append(done);
  await log.append({ ...ended(done), payload: "{}" }, { reply: { key: replyKey("done"), text: "the answer" } });
  const followed = draft({ payload: payloadOf(onceOf("followed")) });
  await log.append(followed);
  await log.append(draft({ payload: payloadOf(null) }));
  await log.append(draft({ payload: payloadOf(`${replyKey("bad")}.short`) }));
  await log.close();
  const after = await openLog(dir, { keepOpen: [followed.invocationId] });
  expect([after.recovered, [...after.kept]]).toEqual([2, [followed.invocationId]]);
  const texts = ["done", "followed", "bad"].map((name) => after.state.reply(replyKey(name))?.text);
  expect(texts).toEqual(["the answer", undefined, undefined]);
});

it("is purged with its correlation", async () => {
  const dir = temporaryDir();
  const log = await openLog(dir);
  await log.append(draft({ payload: payloadOf(onceOf("lost"), "t__alias"), correlationId: "mine" }));
  await log.close();
  const after = await openLog(dir);
  expect(after.state.reply(replyKey("lost"))?.text).toBe(unknownReply(HASH, "t__alias", "everything__echo"));
  await after.purge({ correlationIds: ["mine"], policy: "requested" });
  expect(after.state.reply(replyKey("lost"))).toBeNull();
});
