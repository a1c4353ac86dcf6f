/** What is taken out of the log shows, what is a secret never gets in, and what failed is recorded as failed. */
import { cpSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { openSession } from "../transport/client-for-tests.ts";
import { makeGovernedPlace, startGoverned, type Event, type Governed } from "./governed-host-for-tests.ts";
import { openEvidence } from "./open-evidence.ts";
import { holdEvidence, type Place, type WholeHost } from "./whole-host-for-tests.ts";

const act = (host: WholeHost, n: string, more: object = {}): Promise<{ status: number; json: any }> =>
  host.rest("POST", "/v1/tools/call", { name: "ops__do", arguments: { n }, ...more });

const checkpointOf = ({ workDir }: Place): string => {
  const evidence = openEvidence(workDir);
  const text = evidence.checkpoint();
  evidence.close();
  return text ?? "";
};
const isValid = ({ workDir }: Place, checkpoint?: string): boolean => {
  const evidence = openEvidence(workDir);
  const { valid } = evidence.verify(checkpoint === undefined ? {} : { checkpoint });
  evidence.close();
  return valid;
};

/** As somebody does who has the file and a tool for it. */
const editStore = ({ workDir }: Place, edit: (store: DatabaseSync) => void): void => {
  const store = new DatabaseSync(join(workDir, "evidence.db"));
  for (const { name } of store.prepare("SELECT name FROM sqlite_master WHERE type = 'trigger'").all())
    store.exec(`DROP TRIGGER "${String(name)}"`);
  edit(store);
  store.close();
};

it("a whole correlation that was deleted from the file is missed by verify and at the next start", async () => {
  const { host, place } = await startGoverned(makeGovernedPlace(["do"], {}));
  for (const n of ["a", "b", "c"]) await act(host, n);
  const started = place.events().filter(({ event_type }) => event_type === "execution_started");
  const id = started[1]!.correlation.correlation_id;
  await host.stop();
  const kept = checkpointOf(place);
  expect([isValid(place), isValid(place, kept)]).toEqual([true, true]);
  const before = place.events().length;
  editStore(place, (store) => {
    const { changes } = store
      .prepare("DELETE FROM batch WHERE events LIKE ? AND events NOT LIKE '%host-l%'")
      .run(`%${id}%`);
    expect(Number(changes)).toBeGreaterThan(0);
  });
  expect(place.events().length).toBeLessThan(before);
  expect([isValid(place), isValid(place, kept)]).toEqual([false, false]);
  await expect(place.start()).rejects.toMatchObject({ kind: "evidence_unavailable" });
});

it("a log that was set back, by somebody who has the host's keys too, is not the one of a kept checkpoint", async () => {
  const { host, place } = await startGoverned(makeGovernedPlace(["do"], {}));
  await act(host, "before");
  await host.stop();
  const copy = join(place.dir, "copy");
  cpSync(place.workDir, copy, { recursive: true });
  const second = await place.start();
  await second.until("ops", "running");
  await act(second, "unwanted");
  await second.stop();
  const kept = checkpointOf(place);
  rmSync(place.workDir, { recursive: true });
  cpSync(copy, place.workDir, { recursive: true });
  expect([isValid(place), isValid(place, kept)]).toEqual([true, false]);
  const third = await place.start();
  await third.until("ops", "running");
  for (const n of ["x", "y", "z", "more than there were"]) await act(third, n);
  await third.stop();
  expect([isValid(place), isValid(place, kept)]).toEqual([true, false]);
});

const SECRETS = {
  key: `sk-${"aB3dE5".repeat(8)}`,
  github: `ghp_${"x9Y8z7".repeat(6)}`,
  aws: "AKIAQ3EGRXMPLE7ZZTOP",
  slack: "xoxb-210987654321-abcdefABCDEF123456",
  jwt: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJzZWNyZXQtc3ViamVjdCJ9.c2lnbmF0dXJlLW9mLXRva2Vu",
  card: "4111111111111111",
  bearer: "Bearer 9f8e7d6c5b4a39281706f5e4d3c2b1a0",
};

const leaks = ({ workDir }: Place, secrets: readonly string[]): string[] => {
  const files = readdirSync(workDir).filter((name) => name.startsWith("evidence.db"));
  const bytes = files.map((name) => readFileSync(join(workDir, name)));
  return secrets.filter((secret) => bytes.some((each) => each.includes(secret)));
};

/** Every place at which a caller, a server or a person can put a text. */
const tellEverywhere = async ({ host, agent, doors }: Governed, secret: string): Promise<void> => {
  const auth = { authorization: `Bearer ${agent}` };
  for (const { call } of doors) {
    for (const tool of ["ops__do", "ops__strict", "ops__fail", "ops__throw", "ops__denied", "ops__guarded"])
      await call(tool, { n: secret, note: { deep: [secret] }, password: "hunter2-hunter2" });
    await call("ops__strict", { n: { token: secret } });
    await call(`ops__${secret}`, {});
  }
  const claims = { subject: { id: secret }, actor: secret, metadata: { context: { job: secret, note: secret } } };
  await host.rest("POST", "/chp/invoke", { capability_id: "ops__do", payload: { n: "x" }, ...claims }, auth);
  const waiting = { name: "ops__asked", arguments: { n: secret } };
  const { json } = await host.rest("POST", "/v1/tools/call", waiting, auth);
  const decided = { decision: "deny", reason: `because of ${secret}` };
  expect((await host.rest("POST", `/v1/approvals/${json.approvalId}`, decided)).status).toBe(200);
  await host.rest("POST", "/v1/tools/call", waiting, auth);
  await act(host, secret, { idempotencyKey: secret, surface: secret });
  const session = await openSession(host.origin, "2025-11-25", "/mcp", agent);
  await session.call("resources/read", { uri: `doc://open?token=${secret}` });
  await session.call("resources/read", { uri: `other://${secret}` });
  await session.call("prompts/get", { name: `ops__${secret}`, arguments: { n: secret } });
};

it("secrets in arguments, names, claims, reasons and what servers say are nowhere in the file of the log", async () => {
  const secrets = Object.values(SECRETS);
  const place = makeGovernedPlace(
    ["do", "strict", "fail", "throw", "denied", "guarded", "asked"],
    {
      policy: {
        rules: [
          { id: "denied", match: { tools: ["ops__denied"] }, effect: "deny" },
          { id: "asked", match: { tools: ["ops__asked"] }, effect: "require_approval" },
        ],
        guardrails: [{ id: "g", tools: ["ops__guarded"], deny_if: [{ path: "/n", op: "exists" }] }],
      },
    },
    secrets.join(" "),
  );
  const governed = await startGoverned(place);
  for (const secret of secrets) await tellEverywhere(governed, secret);
  expect(place.effects().length).toBeGreaterThan(0);
  await governed.host.stop();
  expect(leaks(place, [...secrets, "hunter2-hunter2"])).toEqual([]);
  expect(isValid(place)).toBe(true);
});

it("a tool that says it failed has failed in evidence, at every door, with one end for each call", async () => {
  const { doors, place } = await startGoverned(makeGovernedPlace(["fail", "throw"], {}));
  for (const { call } of doors) for (const tool of ["ops__fail", "ops__throw"]) await call(tool, {});
  const ended = place.events().filter(({ event_type }) => /^execution_(?!started)/.test(event_type));
  expect(ended).toHaveLength(2 * doors.length);
  const short = ({ event_type, outcome, error }: Event) => [event_type, outcome, error?.["code"]];
  for (const event of ended) {
    const code = event.capability_id === "ops__fail" ? "tool_error" : "host_error";
    expect(short(event)).toEqual(["execution_failed", "failure", code]);
  }
});

it("while evidence cannot be written nothing runs, whatever is recorded before it, and afterwards it does again", async () => {
  const { doors, place, host } = await startGoverned(
    makeGovernedPlace(["do", "guarded"], {
      policy: {
        guardrails: [{ id: "g", tools: ["ops__guarded"], deny_if: [{ path: "/n", op: "=", value: "no" }] }],
        rules: [
          { id: "few", match: { tools: ["ops__do"] }, effect: "limit", limit: { per: "host", calls: 7, window_s: 60 } },
        ],
      },
    }),
  );
  const release = holdEvidence(place);
  // Each waits for the disk, so only some of them.
  for (const { call } of [doors[0]!, doors.at(-1)!]) {
    const said = [
      await call("ops__do", {}),
      await call("ops__guarded", { n: "yes" }),
      await call("ops__guarded", { n: "no" }),
    ];
    for (const { text } of said) expect(text).toMatch(/evidence|Evidence|safety_blocked|guardrail/);
  }
  expect(place.effects()).toEqual([]);
  release();
  await expect.poll(async () => (await act(host, "again")).status, { timeout: 15_000 }).toBe(200);
  for (const { call } of doors) expect((await call("ops__do", { n: "x" })).refused).toBeNull();
  expect((await act(host, "over")).json).toMatchObject({ error: "rate_limited" });
});
