/** What a person has taken out of the evidence of a running host: it is gone, that it is gone is told, and all else verifies. */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import type { NewKey } from "../kernel/key.ts";
import { provesConsistency } from "../storage/tree/proves-consistency.ts";
import { provesInclusion } from "../storage/tree/proves-inclusion.ts";
import { leafHash } from "../storage/tree/tree-hash.ts";
import { makeGovernedPlace, startGoverned, type Governed, type GovernedPlace } from "./governed-host-for-tests.ts";
import { openEvidence, type Verification } from "./open-evidence.ts";
import type { WholeHost } from "./whole-host-for-tests.ts";

const TEXT = "a-very-personal-text";
const bytes = (hex: unknown): Buffer => Buffer.from(String(hex), "hex");

const start = (evidence: object = {}): Promise<Governed> =>
  startGoverned(makeGovernedPlace(["do", "hold"], { evidence: { retainPayloads: ["ops__do"], ...evidence } }));

const invoke = (host: WholeHost, correlation_id: string): ReturnType<WholeHost["rest"]> =>
  host.rest("POST", "/chp/invoke", {
    capability_id: "ops__do",
    payload: { n: "x" },
    correlation: { correlation_id },
    metadata: { context: { note: TEXT } },
  });

const purge = (host: WholeHost, correlation: string, key?: string): ReturnType<WholeHost["rest"]> => {
  const headers: Record<string, string> = key === undefined ? {} : { authorization: `Bearer ${key}` };
  return host.rest("POST", "/v1/evidence/purge", { correlation, reason: "asked to" }, headers);
};
const redact = (host: WholeHost, event: string | number): ReturnType<WholeHost["rest"]> =>
  host.rest("POST", "/v1/evidence/redact", { event, reason: "a name" });

/** The files of the work directory in which the text stands. */
const filesWith = ({ workDir }: GovernedPlace): string[] =>
  readdirSync(workDir, { recursive: true, encoding: "utf8" }).filter((name) => {
    const path = join(workDir, name);
    return statSync(path).isFile() && readFileSync(path).includes(TEXT);
  });

const verified = ({ workDir }: GovernedPlace): Verification => {
  const evidence = openEvidence(workDir);
  try {
    return evidence.verify();
  } finally {
    evidence.close();
  }
};

const keyOf = async (host: WholeHost, order: NewKey): Promise<string> => (await host.keys.create(order)).secret;

it("a purged correlation leaves no text behind, and every proof from before and after holds", async () => {
  const { host, place } = await start();
  await invoke(host, "corr_gone");
  const { json: old } = await host.rest("GET", "/chp/head?scheme=chp-store-head-v2");
  expect(filesWith(place)).not.toEqual([]);
  expect(await purge(host, "corr_gone")).toEqual({ status: 200, json: { correlation: "corr_gone", events: 2 } });
  await host.rest("POST", "/chp/invoke", { capability_id: "ops__do", correlation: { correlation_id: "corr_after" } });
  expect((await host.rest("GET", "/chp/replay/corr_gone")).json).toMatchObject({ event_count: 0 });

  const { json: grown } = await host.rest("GET", "/chp/head?scheme=chp-store-head-v2");
  const path = `/chp/head/consistency?first=${old.sequence}&second=${grown.sequence}`;
  const { json: between } = await host.rest("GET", path);
  expect([between.first_root, between.second_root]).toEqual([old.store_head, grown.store_head]);
  const roots = { firstRoot: bytes(old.store_head), secondRoot: bytes(grown.store_head) };
  const sizes = { first: old.sequence, second: grown.sequence };
  expect(provesConsistency({ ...sizes, ...roots, path: between.proof.map(bytes) })).toBe(true);
  const { json: included } = await host.rest("GET", "/chp/head/inclusion/corr_after");
  const { head_hash, leaf_index: index, tree_size: size, audit_path } = included.proof;
  const claim = { index, size, path: audit_path.map(bytes), root: bytes(included.store_head) };
  expect(provesInclusion({ leaf: leafHash("corr_after", head_hash), ...claim })).toBe(true);

  const [asked] = place.evidence("evidence_purge_asked");
  expect(asked?.payload).toEqual({ correlation: "corr_gone", by: "person:owner", reason: "asked to" });
  const told = place.events().find(({ event_type }) => event_type === "evidence_purged");
  expect(told?.payload).toMatchObject({ count: 2, policy: "requested" });
  await host.stop();
  expect(filesWith(place)).toEqual([]);
  expect(verified(place)).toMatchObject({ valid: true, purged: 2 });
});

it("of a redacted event the hashes stay, and neither its payload nor what was kept beside it", async () => {
  const { host, place } = await start();
  await invoke(host, "corr_1");
  const [started, ended] = place.events().filter(({ correlation }) => correlation.correlation_id === "corr_1") as {
    readonly event_id: string;
    readonly sequence?: number;
  }[];
  const { sequence } = ended as { readonly sequence: number };
  expect((await redact(host, started!.event_id)).json).toMatchObject({ event_id: started!.event_id });
  expect((await redact(host, sequence)).json).toEqual({ sequence, event_id: ended!.event_id });
  expect((await redact(host, sequence)).status).toBe(200);
  for (const { event_id } of [started!, ended!]) {
    const { json } = await host.rest("GET", `/v1/evidence/${event_id}`);
    expect(json.payload).toEqual({ chp_withheld: true });
  }
  expect(place.evidence("evidence_redact_asked")[0]?.payload).toMatchObject({ by: "person:owner", reason: "a name" });
  await host.stop();
  const evidence = openEvidence(place.workDir);
  expect(evidence.retained(sequence)).toBeNull();
  evidence.close();
  expect(filesWith(place)).toEqual([]);
  expect(verified(place)).toMatchObject({ valid: true, withheld: 2, purged: 0 });
});

it("only a person who may has anything taken out, and not what is held, open or tells of what went", async () => {
  const { host, place } = await start({ retention: { days: null, holds: ["corr_case*"] } });
  for (const id of ["corr_1", "corr_case_7"]) await invoke(host, id);
  const caller = new AbortController();
  onTestFinished(() => caller.abort());
  void fetch(`${host.origin}/chp/invoke`, {
    method: "POST",
    headers: { authorization: `Bearer ${host.key}`, "content-type": "application/json" },
    body: JSON.stringify({
      capability_id: "ops__hold",
      payload: { n: "x" },
      correlation: { correlation_id: "corr_open" },
    }),
    signal: caller.signal,
  }).catch(() => undefined);
  await expect.poll(() => place.effects()).toContain("hold x");
  const agent = await keyOf(host, { name: "admin", permissions: ["host:admin", "evidence:read"] });
  const person = await keyOf(host, { name: "ann", as: "person:ann", permissions: ["evidence:read"] });
  const blind = await keyOf(host, { name: "ben", as: "person:ben", permissions: ["host:admin"] });
  const said = async (asked: ReturnType<WholeHost["rest"]>): Promise<unknown[]> => {
    const { status, json } = await asked;
    expect(json.remedy).toMatch(/\w/);
    return [status, json.error];
  };
  expect(await said(purge(host, "corr_1", agent))).toEqual([403, "escalation_required"]);
  expect(await said(purge(host, "corr_1", person))).toEqual([403, "permission_missing"]);
  expect(await said(purge(host, "corr_1", blind))).toEqual([404, "not_found"]);
  expect(await said(purge(host, "corr_none"))).toEqual([404, "not_found"]);
  expect(await said(redact(host, 99_999))).toEqual([404, "not_found"]);
  expect(place.evidence("evidence_purge_asked")).toEqual([]);
  expect(await said(purge(host, "corr_case_7"))).toEqual([403, "protected"]);
  expect(await said(purge(host, `host-identity-${host.info.id}`))).toEqual([403, "protected"]);
  expect(await said(purge(host, "corr_open"))).toEqual([409, "run_in_progress"]);
  const asked = place.events().find(({ event_type }) => event_type === "dev.bailiwick.evidence_purge_asked");
  expect(await said(redact(host, asked!.event_id))).toEqual([403, "protected"]);
  expect(place.events().filter(({ event_type }) => /_purged|_redacted/.test(event_type))).toEqual([]);
});
