/** Approvals over restarts of the host: the real log on disk, the real seals. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { ANN, ask, callOf, MARIA, openWorld, refusalOf, type TestWorld } from "../call/approval/room-for-tests.ts";
import { openEvidenceLog, type OpenEvidenceLog } from "../storage/open-evidence-log.ts";
import { openSeals } from "../storage/open-seals.ts";
import type { Approved } from "../kernel/stages.ts";

interface Run {
  readonly log: OpenEvidenceLog;
  readonly world: TestWorld;
}

const start = async (dir: string): Promise<Run> => {
  const log = await openEvidenceLog({ dir, hostId: "host-1", environment: "test", durability: "before-execution" });
  onTestFinished(() => log.close().catch(() => undefined));
  const world = openWorld({ log, state: log.state, seals: openSeals(dir) });
  onTestFinished(() => world.room.close());
  return { log, world };
};

const restart = async (dir: string, { log, world }: Run): Promise<Run> => {
  world.room.close();
  await log.close();
  return start(dir);
};

/** As stage 9 does: what the call uses up is in the commit of its intent. */
const begin = async ({ log }: Run, { approval }: Approved): Promise<void> => {
  const correlation = { id: "corr_run", causationId: null, parentId: null, traceId: null, fresh: false };
  const taken = approval?.admission.take({ id: "inv_run", correlation });
  await log.append(
    {
      type: "execution_started",
      invocationId: "inv_run",
      capabilityId: "t",
      capabilityVersion: "1.0.0",
      correlation,
      outcome: null,
      payload: "{}",
      subject: "null",
      error: "null",
      denial: "null",
    },
    { state: taken?.writes ?? [] },
  );
};

it("what waits, is granted, used or given in advance is so after a restart, and its arguments are not readable on disk", async () => {
  const dir = mkdtempSync(join(tmpdir(), "bailiwick-approvals-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const parts = { args: { text: "only-for-the-approver" } };

  const first = await start(dir);
  const id = await ask(first.world, parts);

  const second = await restart(dir, first);
  expect([...second.world.room.approvals.list(MARIA, { state: "pending" })]).toMatchObject([
    { id, arguments: parts.args },
  ]);
  expect(await ask(second.world, parts)).toBe(id);
  await second.world.room.approvals.decide(MARIA, id, { approve: true });

  const third = await restart(dir, second);
  await begin(third, await third.world.room.stage(callOf(parts)));

  const fourth = await restart(dir, third);
  expect(fourth.world.room.approvals.get(MARIA, id)).toMatchObject({ state: "consumed", consumed_by: "inv_run" });
  expect(await refusalOf(fourth.world.room.stage(callOf(parts)))).toMatchObject({ kind: "approval_pending" });
  const order = { tools: ["dispatch__*"], principal: "agent:planner", max_uses: 2, expires_at: "2026-11-17T00:00:00Z" };
  const standing = await fourth.world.room.approvals.grantStanding(ANN, order);
  await begin(fourth, await fourth.world.room.stage(callOf({ args: {} })));

  const fifth = await restart(dir, fourth);
  expect(fifth.world.room.approvals.standing(ANN)).toEqual([{ ...standing, uses: 1 }]);
  expect(readFileSync(join(dir, "evidence.db")).includes("only-for-the-approver")).toBe(false);
});

it("what was asked in a correlation that is purged goes with it once it is over, and not before", async () => {
  const dir = mkdtempSync(join(tmpdir(), "bailiwick-approvals-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const first = await start(dir);
  const over = await ask(first.world, { args: { text: "over" } });
  const waits = await ask(first.world, { args: { text: "waits" } });
  const record = await first.world.room.approvals.decide(MARIA, over, { approve: false });
  const ids = [record.correlation_id, first.world.room.approvals.get(MARIA, waits)?.correlation_id ?? ""];
  await first.log.purge({ correlationIds: ids, policy: "requested" });
  first.world.room.forgetPurged(ids);
  const left = ({ world }: Run): string[] => [...world.room.approvals.list(MARIA, {})].map(({ id }) => id);
  expect(left(first)).toEqual([waits]);
  expect(left(await restart(dir, first))).toEqual([waits]);
});
