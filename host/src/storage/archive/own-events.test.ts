import { describe, expect, it } from "vitest";
import type { EvidenceDraft } from "../../kernel/evidence.ts";
import { stable } from "../../kernel/stable.ts";
import { draft } from "../evidence-for-tests.ts";
import { openTestArchive, reader } from "./archive-for-tests.ts";

describe("a call that somebody else decided about", () => {
  const subject = (id: string): string => stable({ id, type: "person", verified: true });
  const event = (type: string, who: string, digest: string | null): EvidenceDraft => ({
    ...draft({ correlationId: "c", subject: subject(who) }),
    type,
    invocationId: "inv_1",
    ...(digest === null ? {} : { actionDigest: digest }),
  });

  it.each([
    ["a call", "sha256:1"],
    ["a confidential one, which shows no digest", null],
  ])("is proved whole to whoever asked for %s, and to nobody else", async (_, digest) => {
    const test = await openTestArchive();
    await test.log.append(event("approval_requested", "person://ann", digest));
    await test.log.append(event("approval_granted", "person://maria", digest));
    const seen = (id: string): Promise<unknown> => test.archive.verify(reader({ id, permissions: [] }), "c");
    expect(await seen("person:ann")).toMatchObject({ event_count: 2, valid: true });
    expect(await seen("person:eve")).toMatchObject({ event_count: 0 });
  });

  it.each([
    ["a call", "sha256:1", "sha256:2"],
    ["a confidential one", null, null],
  ])("stays hidden from whoever asks for a call of their own beside %s, under its id", async (_, theirs, hers) => {
    const test = await openTestArchive();
    await test.log.append(event("approval_requested", "person://ann", theirs));
    await test.log.append(event("approval_requested", "person://eve", hers));
    await test.log.append(event("approval_granted", "person://maria", theirs));
    const eve = reader({ id: "person:eve", permissions: [] });
    const order = { correlationId: "c", limit: 9, sinceSequence: 0, includePayloads: true };
    expect(await test.archive.replay(eve, order)).toMatchObject({ event_count: 1 });
    expect(await test.archive.verify(eve, "c")).toMatchObject({ event_count: 1, valid: true });
  });
});
