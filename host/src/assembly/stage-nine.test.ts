/** What stands before the intent of a call and the intent itself, on the whole host: one commit or none. */
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { openEvidence } from "./open-evidence.ts";
import {
  makeGovernedPlace,
  startGoverned,
  type Governed,
  type GovernedPlace,
  type Verdict,
} from "./governed-host-for-tests.ts";
import { holdEvidence } from "./whole-host-for-tests.ts";

const GUARDRAIL = { id: "small", tools: ["ops__*"], deny_if: [{ path: "/amount", op: ">", value: 10 }] };

/** The sequences at which a commit of the log begins. */
const commitsOf = ({ workDir }: GovernedPlace): ReadonlySet<number> => {
  const store = new DatabaseSync(join(workDir, "evidence.db"), { readOnly: true });
  const rows = store.prepare("SELECT first FROM batch").all();
  store.close();
  return new Set(rows.map(({ first }) => Number(first)));
};

const atRest = ({ doors }: Governed, args: object): Promise<Verdict> =>
  doors.find(({ name }) => name === "REST")!.call("ops__do", args);

const approve = async ({ host }: Governed): Promise<void> => {
  const [pending] = await host.approvals.list("pending");
  await host.approvals.decide(pending!.id, { approve: true });
};

it("an approval, what guardrails said and the intent that uses them are one commit", async () => {
  const overlay = { approval_required: true };
  const policy = { guardrails: [GUARDRAIL], capabilities: { ops__do: overlay } };
  const governed = await startGoverned(makeGovernedPlace(["do"], { policy }));
  const { place } = governed;
  expect(await atRest(governed, { amount: 1 })).toMatchObject({ refused: "approval_pending" });
  await approve(governed);
  expect(await atRest(governed, { amount: 1 })).toMatchObject({ refused: null });
  const types = place.events().map(({ event_type }) => event_type);
  const started = types.indexOf("execution_started");
  const together = [
    "approval_grant_verified",
    "safety_assessment_started",
    "safety_assessment_completed",
    "safety_action_approved",
    "execution_started",
  ];
  expect(types.slice(started - 4, started + 1)).toEqual(together);
  const commits = commitsOf(place);
  // Sequences count from 1.
  expect(together.slice(1).map((_, i) => commits.has(started - 2 + i))).toEqual([false, false, false, false]);
});

it("while evidence cannot be written nothing runs, refusals are answered all the same, and the host goes on", async () => {
  const governed = await startGoverned(makeGovernedPlace(["do"], { policy: { guardrails: [GUARDRAIL] } }));
  const { place } = governed;
  const release = holdEvidence(place);
  const [wanted, blocked] = await Promise.all([atRest(governed, { amount: 1 }), atRest(governed, { amount: 11 })]);
  expect(wanted).toMatchObject({ refused: "evidence_unavailable", evidenceId: null });
  expect(blocked).toMatchObject({ refused: "guardrail_blocked", evidenceId: null });
  expect(place.effects()).toEqual([]);
  release();
  await expect
    .poll(async () => (await atRest(governed, { n: "a", amount: 1 })).refused, { timeout: 15_000 })
    .toBeNull();
  expect(place.effects()).toEqual(["do a"]);
});

it("what is public or internal is kept and named by its digest, what is confidential is not", async () => {
  const classes = ["public", "internal", "confidential"];
  const of = (data_classification: string) => ({ data_classification, approval_required: true });
  const governed = await startGoverned(
    makeGovernedPlace(["do", ...classes], {
      policy: { capabilities: Object.fromEntries(classes.map((name) => [`ops__${name}`, of(name)])) },
      evidence: { retainPayloads: ["ops__*"] },
      auth: {
        principals: { "agent:planner": { clearance: "confidential" }, "person:owner": { clearance: "confidential" } },
      },
    }),
  );
  const { place, doors } = governed;
  const call = doors.find(({ name }) => name === "REST")!.call;
  for (const name of classes) {
    expect(await call(`ops__${name}`, { n: name })).toMatchObject({ refused: "approval_pending" });
    await approve(governed);
    expect(await call(`ops__${name}`, { n: name })).toMatchObject({ refused: null });
  }
  const events = place.events() as readonly (ReturnType<GovernedPlace["events"]>[number] & {
    readonly sequence: number;
    readonly action_digest?: string;
  })[];
  const of9 = (type: string) => events.filter(({ event_type }) => event_type === type);
  expect(of9("execution_started").map(({ action_digest }) => action_digest !== undefined)).toEqual([true, true, false]);
  const evidence = openEvidence(place.workDir);
  const kept = of9("execution_completed").map(
    ({ sequence }) => evidence.retained(sequence)?.includes('\\"n\\":') ?? false,
  );
  evidence.close();
  expect(kept).toEqual([true, true, false]);
});
