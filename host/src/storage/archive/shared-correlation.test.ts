import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { describe, expect, it } from "vitest";
import type { ExportFormat } from "../../kernel/archive.ts";
import type { EvidenceDraft } from "../../kernel/evidence.ts";
import { stable } from "../../kernel/stable.ts";
import { draft } from "../evidence-for-tests.ts";
import { verifyEvidence } from "../verify-evidence.ts";
import { openTestArchive, reader, textOf, type TestArchive } from "./archive-for-tests.ts";
import type { Json } from "./archive-parts.ts";

const [ann, eve, nobody] = ["ann", "eve", "nobody"].map((name) => reader({ id: `person:${name}`, permissions: [] }));

const event = (who: string, type: string, over: Partial<EvidenceDraft> = {}): EvidenceDraft => ({
  ...draft({ correlationId: "c", subject: stable({ id: `person://${who}`, type: "person", verified: true }) }),
  invocationId: "inv_1",
  type,
  payload: stable({ note: `of ${who}` }),
  ...over,
});
const denied = (who: string): EvidenceDraft =>
  event(who, "execution_denied", { outcome: "denied", denial: stable({ code: "policy_blocked", message: "no" }) });

/** Ann's call, with a refused one of Eve's in its middle, under the same ids. */
const opened = async (): Promise<TestArchive> => {
  const test = await openTestArchive();
  await test.log.append(event("ann", "execution_started"));
  await test.log.append(denied("eve"));
  await test.log.append(event("ann", "execution_completed", { outcome: "success" }));
  await test.log.checkpoint();
  return test;
};

const exported = (test: TestArchive, who: typeof ann, format: ExportFormat): Promise<string> =>
  textOf(test.archive.export(who!, { format, correlation: "c", payloads: true }).parts);

describe("a correlation into which somebody else called", () => {
  it("is verified as a whole for both, who count what is theirs, and is nothing to others", async () => {
    const { archive } = await opened();
    const ok = { valid: true, unverified_count: 0, checks: { chain: "pass", cover: "pass", log: "pass" } };
    expect(await archive.verify(ann!, "c")).toMatchObject({ ...ok, event_count: 2, verified_count: 2 });
    expect(await archive.verify(eve!, "c")).toMatchObject({ ...ok, event_count: 1 });
    expect(await archive.verify(nobody!, "c")).toMatchObject({ event_count: 0, checks: { chain: "absent" } });
    expect(await archive.inclusion(ann!, "c")).toMatchObject({ sequence: 3 });
    expect(await archive.inclusion(nobody!, "c")).toBeNull();
  });

  it.each(["bundle", "jsonl"] as const)(
    "is given as %s to who began it, without the payloads of others",
    async (as) => {
      const test = await opened();
      const text = await exported(test, ann, as);
      expect(verifyEvidence(text.split("\n"))).toMatchObject({ valid: true, tier: "signed", count: 3, withheld: 1 });
      expect([text.includes("of ann"), text.includes("of eve")]).toEqual([true, false]);
      await expect(exported(test, eve, as)).rejects.toMatchObject({ kind: "permission_missing" });
      expect(await exported(test, nobody, as)).not.toContain("person://");
    },
  );

  it("is replayed to each as what is their own", async () => {
    const { archive } = await opened();
    const order = { correlationId: "c", limit: 9, sinceSequence: 0, includePayloads: true };
    const replays = await Promise.all([ann, eve, nobody].map((who) => archive.replay(who!, order)));
    const counts = replays.map((replay) => replay["event_count"]);
    expect(counts).toEqual([2, 1, 0]);
  });

  it("is traced as two calls, though both have one id", async () => {
    const { archive } = await opened();
    const { invocations } = (await archive.trace(reader(), "c")) as unknown as { invocations: { steps: Json[] }[] };
    const told = invocations.map(({ steps }) => [steps[0]?.["id"], steps[5]?.["outcome"]]);
    expect(told).toEqual([
      ["person://ann", "success"],
      ["person://eve", "denied"],
    ]);
  });

  it("is two spans, neither ended by the other", async () => {
    const test = await opened();
    const text = await exported(test, reader(), "otel");
    expect(text.match(/"startTimeUnixNano"/g)).toHaveLength(2);
    expect(text.match(/"stringValue":"success"/g)).toHaveLength(1);
  });

  it("is told to be broken when it is, wherever", async () => {
    const test = await opened();
    const database = new DatabaseSync(join(test.dir, "evidence.db"));
    database.exec("DROP TRIGGER batch_no_update; UPDATE batch SET events = replace(events, '//eve', '//eva')");
    database.close();
    expect(await test.archive.verify(ann!, "c")).toMatchObject({ valid: false, first_broken_sequence: 2 });
  });
});

it("what was decided about a call stands in its trace, whoever decided", async () => {
  const { log, archive } = await openTestArchive();
  await log.append(event("ann", "approval_requested", { actionDigest: "sha256:1" }));
  await log.append(denied("ann"));
  await log.append(event("maria", "approval_granted", { actionDigest: "sha256:1" }));
  await log.append(event("ann", "execution_started"));
  const { invocations } = (await archive.trace(ann!, "c")) as unknown as { invocations: { events: Json[] }[] };
  expect(invocations.map(({ events }) => events.length)).toEqual([4]);
});
