/**
 * kill -9 in the middle of approvals, budgets and repeated calls: what people decided is neither forgotten nor used twice, what
 * may be done so often is done so often, and what the host said once it says again.
 */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { openEvidence } from "../assembly/open-evidence.ts";
import { mandate, newSigner } from "../kernel/chp-statements-for-tests.ts";
import { createDrill, type Drill, type Served } from "./drill-for-tests.ts";
import {
  askOf,
  call,
  repeatKeys,
  seeded,
  seekApprovals,
  spend,
  type Ask,
  type Budget,
  type Callers,
  type Told,
} from "./governed-drill-for-tests.ts";

const ROUNDS = 20;
const SETTINGS = {
  chp: { mandates: { principals: "any", delegateBinding: "name" } },
  auth: { chpKeys: ["runner:k"], principals: { "service:runner": {} } },
  policy: {
    rules: [
      {
        id: "ask",
        match: { tools: ["drill__count", "third__count"], principals: ["agent:*"] },
        effect: "require_approval",
      },
      {
        id: "few",
        match: { tools: ["other__count"] },
        effect: "limit",
        limit: { per: "principal", calls: 100, window_s: 86_400 },
      },
    ],
    capabilities: { drill__strict: { autonomy: { action_limit: 90 } } },
  },
};

interface Event {
  readonly event_type: string;
  readonly invocation_id: string;
  readonly capability_id: string;
  readonly payload: Readonly<Record<string, unknown>>;
}

let drill: Drill;
afterEach(() => drill.clean());

const CAPPED = mandate({
  principal: "the-principal",
  signer: newSigner(),
  delegate: "runner",
  scope: ["other__strict"],
  max: 80,
});

const budgetsOf = (agent: Ask): readonly Budget[] => {
  const restKind = ({ status, json }: { status: number; json: any }): string | null =>
    status === 200 ? null : String(json.error);
  const chpKind = ({ json }: { json: any }): string | null => json.denial?.details.kind ?? json.error?.code ?? null;
  const correlation = { correlation_id: "drill-correlation" };
  const invoke = (body: object, headers = {}) => agent("POST", "/chp/invoke", { body, headers });
  return [
    {
      tool: "other__count",
      limit: 100,
      spent: "rate_limited",
      kindOf: restKind,
      spend: (n) => call(agent, "other__count", n),
    },
    {
      tool: "third__count",
      limit: 70,
      spent: "approval_pending",
      kindOf: restKind,
      spend: (n) => call(agent, "third__count", n),
    },
    {
      tool: "drill__strict",
      limit: 90,
      spent: "budget_exceeded",
      kindOf: chpKind,
      spend: (n) => invoke({ capability_id: "drill__strict", payload: { n }, correlation }),
    },
    {
      tool: "other__strict",
      limit: 80,
      spent: "mandate_exhausted",
      kindOf: chpKind,
      spend: (n) =>
        invoke(
          { capability_id: "other__strict", payload: { n }, mandate: CAPPED, invocation_id: n },
          { "x-chp-key": "runner:k" },
        ),
    },
  ];
};

const callersOf = (host: Served, agentKey: string): Callers => ({
  agent: askOf(host, agentKey),
  owner: askOf(host, host.key),
});

const up = async (): Promise<Served> => {
  const host = await drill.serve();
  await Promise.all(["drill", "other", "third"].map((name) => host.running(name)));
  return host;
};

const prepare = async (host: Served): Promise<string> => {
  const owner = askOf(host, host.key);
  const made = await owner("POST", "/v1/keys", { body: { name: "planner" } });
  const expires_at = new Date(Date.now() + 86_400_000).toISOString();
  const body = { tools: ["third__count"], principal: "agent:planner", max_uses: 70, expires_at };
  expect(await owner("POST", "/v1/standing-approvals", { body })).toMatchObject({ status: 201 });
  return String(made?.json.secret);
};

/** As the trailer of an export has it, which is made for it. */
const checkpointOf = async ({ origin, key }: Served): Promise<string> => {
  const headers = { authorization: `Bearer ${key}` };
  const text = await (await fetch(`${origin}/v1/evidence/export?format=jsonl`, { headers })).text();
  const { checkpoint } = JSON.parse(text.trim().split("\n").at(-1) ?? "") as { checkpoint: object };
  return JSON.stringify(checkpoint);
};

const effectsOf = (provider: string): string[] => readFileSync(drill.callsFile(provider), "utf8").trim().split("\n");

/** Every call that began has one end, none began with an approval that was used, and the log is whole. */
const checkLog = (kept: string): readonly Event[] => {
  const evidence = openEvidence(drill.workDir);
  const events = [...evidence.range(1, evidence.last())].map((line) => JSON.parse(line) as Event);
  expect(evidence.verify()).toMatchObject({ valid: true, count: events.length });
  expect(evidence.verify({ checkpoint: kept })).toMatchObject({ valid: true });
  evidence.close();
  const runs = Map.groupBy(
    events.filter(({ event_type }) => /^execution_(started|completed|failed|indeterminate)$/.test(event_type)),
    ({ invocation_id }) => invocation_id,
  );
  for (const [id, run] of runs) {
    expect([id, run.length, run[0]?.event_type]).toEqual([id, 2, "execution_started"]);
  }
  const used = events
    .filter(({ event_type }) => event_type === "approval_grant_verified")
    .map(({ payload }) => payload["approval_id"]);
  const once = used.filter((id) => String(id).startsWith("apr_"));
  expect(new Set(once).size).toBe(once.length);
  return events;
};

const checkApprovals = async ({ agent, owner }: Callers, told: Told): Promise<void> => {
  const states = new Map<string, string>();
  for (const [n, id] of told.asked) {
    const said = await owner("GET", `/v1/approvals/${id}`);
    states.set(n, said?.status === 200 ? String(said.json.state) : "forgotten");
  }
  const wrong = [...states].filter(([n, state]) => {
    if (told.ran.has(n)) return state !== "consumed";
    if (told.granted.has(n)) return state !== "granted" && state !== "consumed";
    return state !== "pending" && state !== "granted";
  });
  expect(wrong).toEqual([]);
  const unused = [...states].filter(([, state]) => state === "granted").map(([n]) => n);
  expect(unused.length).toBeGreaterThan(0);
  for (const n of unused) expect(await call(agent, "drill__count", n)).toMatchObject({ status: 200 });
  const used = [...states].filter(([, state]) => state === "consumed").map(([n]) => n);
  for (const n of [...unused, ...used.slice(-30)]) {
    const again = await call(agent, "drill__count", n);
    expect(again?.status).toBe(202);
    expect(again?.json.approvalId).not.toBe(told.asked.get(n));
  }
};

/** How much the callers were told. */
const progressOf = ({ asked, granted, ran, keyed }: Told): number => asked.size + granted.size + ran.size + keyed.size;

it(`${ROUNDS} times: approvals, budgets and answers are as they were told, nothing is done twice`, async () => {
  drill = await createDrill(["drill", "other", "third"], SETTINGS);
  const next = seeded(20_261_116);
  const told: Told = { asked: new Map(), granted: new Set(), ran: new Set(), keyed: new Map() };
  let agentKey = "";
  let kept = "";
  for (let round = 0; round < ROUNDS; round++) {
    const host = await up();
    if (round === 0) agentKey = await prepare(host);
    const callers = callersOf(host, agentKey);
    if (round === 3) kept = await checkpointOf(host);
    const work = [
      ...[0, 1, 2].map((i) => seekApprovals(callers, `a${round}.${i}`, next, told)),
      ...[0, 1].map((i) => repeatKeys(callers.owner, `k${round}.${i}`, told)),
      ...budgetsOf(callers.agent).flatMap((budget) =>
        [0, 1].map((i) => spend(budget, `${budget.tool}.${round}.${i}`, 1 + Math.floor(next() * 5))),
      ),
    ];
    const target = progressOf(told) + 20 + next() * 60;
    while (progressOf(told) < target) await sleep(1);
    host.kill();
    await Promise.all(work);
    expect(await drill.leftovers(5_000)).toEqual([]);
  }

  const host = await up();
  const callers = callersOf(host, agentKey);
  await checkApprovals(callers, told);
  for (const budget of budgetsOf(callers.agent)) {
    expect(await spend(budget, `${budget.tool}.end`, budget.limit + 1)).toBe(false);
  }
  for (const [key, said] of told.keyed) {
    const again = await call(callers.owner, "third__strict", key, { idempotencyKey: key });
    if (said !== null) expect(again).toEqual(said);
  }
  await host.stop();

  const events = checkLog(kept);
  for (const { tool, limit } of budgetsOf(callers.agent)) {
    const begun = events.filter(
      ({ event_type, capability_id }) => event_type === "execution_started" && capability_id === tool,
    );
    expect([tool, begun.length]).toEqual([tool, limit]);
  }
  for (const provider of ["drill", "other", "third"]) {
    const effects = effectsOf(provider);
    expect(effects.filter((n, i) => effects.indexOf(n) !== i)).toEqual([]);
  }
  const done = new Set(["drill", "third"].flatMap(effectsOf));
  for (const n of told.ran) expect(done.has(n)).toBe(true);
  for (const [key, said] of told.keyed) if (said?.status === 200) expect(done.has(key)).toBe(true);
  expect(told.ran.size).toBeGreaterThan(ROUNDS);
}, 240_000);
