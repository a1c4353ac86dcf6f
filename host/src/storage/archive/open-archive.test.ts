import { randomBytes } from "node:crypto";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { ExportQuery } from "../../kernel/archive.ts";
import { stable } from "../../kernel/stable.ts";
import { draft, ended, openLog, temporaryDir } from "../evidence-for-tests.ts";
import { verifyEvidence } from "../verify-evidence.ts";
import { openTestArchive, reader, schemaOf, textOf, type TestArchive } from "./archive-for-tests.ts";
import type { Json } from "./archive-parts.ts";
import { openArchive } from "./open-archive.ts";

const record = async ({ log }: TestArchive, calls: number, correlationId?: string): Promise<string> => {
  const id = correlationId ?? `corr_${randomBytes(8).toString("hex")}`;
  for (let i = 0; i < calls; i++) {
    const started = draft({ correlationId: id });
    await log.append(started);
    await log.append({ ...ended(started), payload: '{"duration_ms": 7, "tool": "everything__echo"}' });
  }
  return id;
};
const all = reader();
const check = (name: string, value: unknown): unknown => {
  const validate = schemaOf(name);
  return validate(JSON.parse(JSON.stringify(value))) ? "valid" : validate.errors;
};
const exported = (test: TestArchive, query: Partial<ExportQuery>): Promise<string> =>
  textOf(test.archive.export(all, { format: "jsonl", payloads: true, ...query }).parts);

describe("replay", () => {
  it("gives a correlation page by page, as the schema says", async () => {
    const test = await openTestArchive();
    const id = await record(test, 3);
    await record(test, 1);
    const ask = (limit: number, since: number, payloads = true): Promise<Json> =>
      test.archive.replay(all, { correlationId: id, limit, sinceSequence: since, includePayloads: payloads });
    const first = await ask(4, 0);
    expect(first).toMatchObject({ event_count: 4, truncated: true });
    expect(check("replay-result", first)).toBe("valid");
    const { sequence } = (first["events"] as Json[]).at(-1) ?? {};
    expect(await ask(4, Number(sequence))).toMatchObject({ event_count: 2, truncated: false });
    expect(await ask(6, 0)).toMatchObject({ event_count: 6, truncated: false });
    expect(((await ask(1, 0, false))["events"] as Json[])[0]).toMatchObject({ payload: { chp_withheld: true } });
    const unknown = await test.archive.replay(all, {
      correlationId: "x",
      limit: 9,
      sinceSequence: 0,
      includePayloads: true,
    });
    expect(unknown).toMatchObject({ correlation_id: "x", event_count: 0, events: [], truncated: false });
  });
});

describe("whose events one sees", () => {
  it("are one's own, or all with the permission", async () => {
    const test = await openTestArchive();
    const subject = (id: string, behalf?: string): string =>
      stable({ id, type: "agent", verified: true, door: "mcp", ...(behalf ? { on_behalf_of: behalf } : {}) });
    await test.log.append(draft({ correlationId: "c", subject: subject("agent://mcp-client", "person://ann") }));
    await test.log.append(draft({ correlationId: "c", subject: subject("agent://mcp-client", "person://bob") }));
    await test.log.append(draft({ correlationId: "c", subject: subject("person://ann") }));
    await test.log.append(draft({ correlationId: "c", subject: "null" }));
    const seen = async (over: Parameters<typeof reader>[0]): Promise<number[]> => {
      const { events } = await test.archive.events(reader({ permissions: [], ...over }), { limit: 100 });
      return events.map((event) => Number(event["sequence"]));
    };
    expect(await seen({})).toEqual([3, 1]);
    expect(await seen({ id: "agent:mcp-client", onBehalfOf: "person:bob" })).toEqual([2]);
    expect(await seen({ id: "person:eve" })).toEqual([]);
    expect(await seen({ id: "person:eve", permissions: ["*"] })).toEqual([4, 3, 2, 1]);
    expect(await test.archive.event(reader({ permissions: [] }), "2")).toBe(null);
    expect(await test.archive.event(reader({ permissions: [] }), "3")).toMatchObject({ sequence: 3 });
  });

  it("of a chain of others are none, and the whole log needs the permission", async () => {
    const test = await openTestArchive();
    const own = '{"id": "person://ann", "type": "person", "verified": true}';
    await test.log.append(draft({ correlationId: "theirs" }));
    await test.log.append(draft({ correlationId: "own", subject: own }));
    await test.log.append(draft({ correlationId: "own", subject: own }));
    const ann = reader({ permissions: [] });
    expect(await test.archive.inclusion(ann, "theirs")).toBe(null);
    expect(await test.archive.inclusion(ann, "own")).toMatchObject({ sequence: 3 });
    expect(await test.archive.verify(ann, "theirs")).toMatchObject({ event_count: 0 });
    const bundle = await textOf(
      test.archive.export(ann, { format: "bundle", correlation: "theirs", payloads: true }).parts,
    );
    expect(JSON.parse(bundle)).toMatchObject({ events: [] });
    expect(() => test.archive.export(ann, { format: "jsonl", payloads: true })).toThrow("readers of all evidence");
    const csv = await textOf(test.archive.export(ann, { format: "csv", payloads: true }).parts);
    expect(csv.split("\r\n").length).toBe(1 + 2 + 1);
  });
});

describe("finding events", () => {
  it("goes from the newest on, by whatever is known of them", async () => {
    const test = await openTestArchive();
    const id = await record(test, 600);
    await record(test, 1);
    const first = await test.archive.events(all, { limit: 1000, correlation: id });
    expect(first.events.length).toBe(1000);
    const second = await test.archive.events(all, { limit: 1000, correlation: id, before: first.before ?? 0 });
    expect(second).toMatchObject({ before: null });
    expect(second.events.length).toBe(200);
    const types = await test.archive.events(all, {
      limit: 5,
      type: "execution_started",
      capability: "everything__echo",
    });
    expect(types.events.map((event) => event["sequence"])).toEqual([1201, 1199, 1197, 1195, 1193]);
    const invocation = String(types.events[2]?.["invocation_id"]);
    expect((await test.archive.events(all, { limit: 9, invocation })).events.length).toBe(2);
    expect(await test.archive.events(all, { limit: 9, outcome: "denied" })).toEqual({ events: [], before: null });
    expect((await test.archive.events(all, { limit: 2, subject: "agent:mcp-client" })).events.length).toBe(2);
  });
});

describe("proofs", () => {
  it("of inclusion and consistency fit their schemas and hold for every size", async () => {
    const test = await openTestArchive();
    const id = await record(test, 5);
    await record(test, 3);
    const inclusion = (await test.archive.inclusion(all, id)) as { proof: Json };
    expect(check("store-head-inclusion", inclusion.proof)).toBe("valid");
    expect(inclusion.proof).toMatchObject({ leaf_index: 9, tree_size: 16 });
    expect(check("store-head-consistency", await test.archive.consistency(3, 16))).toBe("valid");
    await expect(test.archive.consistency(4, 3)).rejects.toMatchObject({ kind: "bad_request" });
    await expect(test.archive.consistency(0, 17)).rejects.toMatchObject({ kind: "bad_request" });
    const v2 = await test.archive.head("chp-store-head-v2");
    expect(v2).toMatchObject({
      host_id: "test-host",
      sequence: 16,
      revocation_head: expect.stringMatching(/^[0-9a-f]{64}$/) as unknown,
    });
    const v1 = await test.archive.head("chp-store-head-v1");
    expect(v1["store_head"]).not.toBe(v2["store_head"]);
    expect(await test.archive.checkpoint()).toMatchObject({ tree_size: 16, root_hash: v2["store_head"] });
    expect((await test.archive.checkpoints(16)).length).toBe(1);
    expect(check("chp-identity", test.archive.identity())).toBe("valid");
  });

  it("verify a correlation from its stored bytes, and see one that was changed", async () => {
    const test = await openTestArchive();
    const id = await record(test, 2);
    await test.archive.checkpoint();
    expect(await test.archive.verify(all, id)).toEqual({
      valid: true,
      correlation_id: id,
      event_count: 4,
      verified_count: 4,
      unverified_count: 0,
      first_broken_sequence: null,
      checks: { event_hashes: "pass", chain: "pass", cover: "pass", log: "pass", checkpoint: "pass" },
    });
    const db = new DatabaseSync(join(test.dir, "evidence.db"));
    db.exec(
      "DROP TRIGGER batch_no_update; UPDATE batch SET events = replace(events, 'mcp-client', 'mallory') WHERE first = 3",
    );
    db.close();
    expect(await test.archive.verify(all, id)).toMatchObject({
      valid: false,
      verified_count: 3,
      unverified_count: 1,
      first_broken_sequence: 3,
      checks: { cover: "fail" },
    });
    const damaged = new DatabaseSync(join(test.dir, "evidence.db"));
    damaged.exec(`UPDATE batch SET events = replace(events, '"sequence": ', '"sequence" ')`);
    damaged.close();
    expect(await test.archive.verify(all, id)).toMatchObject({ valid: false, event_count: 4, unverified_count: 4 });
  });
});

describe("exports", () => {
  it("as a bundle fit the schema and verify as signed, with and without payloads", async () => {
    const test = await openTestArchive();
    const id = await record(test, 3);
    await record(test, 1);
    for (const payloads of [true, false]) {
      const text = await exported(test, { format: "bundle", correlation: id, payloads });
      expect(check("evidence-bundle", JSON.parse(text))).toBe("valid");
      expect(verifyEvidence([text])).toMatchObject({ valid: true, tier: "signed", withheld: payloads ? 0 : 6 });
    }
    const unknown = JSON.parse(await exported(test, { format: "bundle", correlation: "x" })) as Json;
    expect([unknown["events"], unknown["completeness"]]).toEqual([[], undefined]);
    expect(() => test.archive.export(all, { format: "bundle", payloads: true })).toThrow("one correlation");
  });

  it("as lines verify as signed: the whole log, a part, a correlation", async () => {
    const test = await openTestArchive();
    const id = await record(test, 3);
    await record(test, 300);
    for (const query of [
      {},
      { from: 3 },
      { from: 100, to: 290 },
      { to: 256 },
      { correlation: id },
      { payloads: false },
    ]) {
      const lines = (await exported(test, query)).split("\n");
      expect(verifyEvidence(lines)).toMatchObject({
        valid: true,
        tier: "signed",
        unsigned: 0,
        checks: { log: "pass" },
      });
    }
  });

  it("go on to verify after a part was purged, and show the gap", async () => {
    const test = await openTestArchive();
    const gone = await record(test, 2);
    await record(test, 2);
    await test.log.purge({ correlationIds: [gone], policy: "requested" });
    const lines = (await exported(test, {})).split("\n");
    expect(verifyEvidence(lines)).toMatchObject({ valid: true, tier: "signed", purged: 4, count: 9 });
    expect(verifyEvidence(lines.filter((line) => !line.includes('"leaf"'))).valid).toBe(false);
  });

  it("as CSV have a row an event, and no cell that is a formula", async () => {
    const test = await openTestArchive();
    const started = draft({ correlationId: "=cmd|' /C calc'!A1", capabilityId: '-a,"b"' });
    await test.log.append(started);
    const text = await exported(test, { format: "csv" });
    const [header, row, ...rest] = text.split("\r\n");
    expect(header).toBe(
      "sequence,timestamp,event_type,outcome,denial_code,capability_id,capability_version,subject_id,subject_type," +
        "on_behalf_of,workspace,door,invocation_id,correlation_id,causation_id,approval_id,duration_ms,event_id,content_hash",
    );
    expect(row).toContain(`,execution_started,,,"'-a,""b""",1.0.0,agent://mcp-client,agent,,ws_default,mcp,inv_`);
    expect(row).toContain(",'=cmd|' /C calc'!A1,");
    expect(rest).toEqual([""]);
  });

  it("as spans have one per call, in the caller's trace", async () => {
    const test = await openTestArchive();
    const traceId = "0af7651916cd43dd8448eb211c80319c";
    const started = draft();
    const correlation = { ...started.correlation, traceId, causationId: "inv_parent" };
    await test.log.append({ ...started, correlation });
    await test.log.append({ ...ended(started), correlation });
    await record(test, 1);
    const text = await exported(test, { format: "otel" });
    const { resourceSpans } = JSON.parse(text) as { resourceSpans: [{ scopeSpans: [{ spans: Json[] }] }] };
    const [{ scopeSpans }] = resourceSpans;
    const { spans } = scopeSpans[0];
    expect(spans.length).toBe(2);
    expect(spans[0]).toMatchObject({
      traceId,
      parentSpanId: expect.stringMatching(/^[0-9a-f]{16}$/) as unknown,
      kind: 1,
    });
    expect(spans[1]?.["attributes"]).toContainEqual({
      key: "gen_ai.tool.name",
      value: { stringValue: "everything__echo" },
    });
    expect(spans[1]?.["traceId"]).toMatch(/^[0-9a-f]{32}$/);
  });
});

it("of a log in memory there is nothing to read, and nothing claims to be signed", async () => {
  const log = await openLog(temporaryDir(), { durability: "memory" });
  const key = { signer: () => null, identity: () => ({}) };
  const { archive, close } = openArchive({
    dir: null,
    hostId: "test-host",
    key,
    log,
    pinnedWitnesses: [],
    pinnedPrincipals: [],
  });
  await log.append(draft({ correlationId: "c" }));
  expect([archive.last(), archive.identity()]).toEqual([0, { assurance: "none" }]);
  expect(await archive.verify(all, "c")).toMatchObject({ event_count: 0, checks: { checkpoint: "absent" } });
  const { parts } = archive.export(all, { format: "bundle", correlation: "c", payloads: true });
  expect(JSON.parse(await textOf(parts))).toMatchObject({ assurance: "hash-chain", events: [] });
  await expect(archive.checkpoint()).rejects.toMatchObject({ kind: "not_found" });
  expect(await archive.head("chp-store-head-v1")).toMatchObject({ sequence: 0 });
  close();
});

it("a trace has the six steps of each call, in their order", async () => {
  const test = await openTestArchive();
  const id = await record(test, 1);
  const denial = stable({
    code: "approval_required",
    message: "A manager must approve.",
    retryable: true,
    details: { approval_id: "apr_1", matched_rule: "manager_approval" },
  });
  await test.log.append(draft({ correlationId: id, type: "execution_denied", outcome: "denied", denial }));
  const { invocations } = (await test.archive.trace(all, id)) as unknown as { invocations: { steps: Json[] }[] };
  const steps = invocations.map((each) => each.steps);
  expect(steps[0]?.map((step) => step["step"])).toEqual(["actor", "capability", "host", "policy", "context", "result"]);
  expect(steps[0]?.[5]).toMatchObject({ outcome: "success", duration_ms: 7 });
  expect(steps[1]?.[3]).toMatchObject({ decision: "denied", rule: "manager_approval", approval_id: "apr_1" });
  expect(steps[1]?.[0]).toMatchObject({ id: "agent://mcp-client" });
});
