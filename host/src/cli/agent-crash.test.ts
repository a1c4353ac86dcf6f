/**
 * kill -9 of the host in the middle of the agent's runs: the conversation is whole, what was told is in it, what nobody can
 * know is shown as unknown and not done again, and the next message goes on from there.
 */
import { readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import {
  messageOf,
  modelSettings,
  startObedientModel,
  type ModelStub,
  type StubRequest,
  type StubTurn,
} from "../assembly/obedient-model-for-tests.ts";
import { openEvidence } from "../assembly/open-evidence.ts";
import type { StoredCall, StoredMessage } from "../kernel/conversation.ts";
import { historyOf, talk, talkOut, type Heard } from "./agent-drill-for-tests.ts";
import { createDrill, type Drill, type Served } from "./drill-for-tests.ts";
import { askOf, seeded } from "./governed-drill-for-tests.ts";

const ROUNDS = 28;
const CONVERSATIONS = 3;
const PROVIDERS = ["drill", "asked"];
const POLICY = {
  rules: [{ id: "ask", match: { tools: ["asked__*"], principals: ["agent:*"] }, effect: "require_approval" }],
};

let drill: Drill;
let model: ModelStub;
afterEach(async () => {
  await drill.clean();
  await model.close();
});

const count = (n: string, name = "drill__count") => ({ name, input: { n } });

/** What the model does with a message that begins with such a word; the rest of the message is in the `n` of its calls. */
const PLAYS: Readonly<Record<string, (n: string) => readonly StubTurn[]>> = {
  silent: () => [{ error: "hang" }],
  streaming: () => [{ text: Array.from({ length: 400 }, (_, i) => (i % 2 === 0 ? `word ${i} ` : 2)) }],
  calling: (n) => [
    { text: "I call.", calls: [count(`${n}.done`), count(`${n}.open`, "drill__wait")] },
    { text: "Nobody gets here." },
  ],
  asking: (n) => [{ calls: [count(`${n}.asked`, "asked__count"), count(`${n}.done`)] }, { text: "Nor here." }],
  between: (n) => [{ text: "First.", calls: [count(`${n}.done`)] }, { error: "hang" }],
  writing: (n) => [
    ...Array.from({ length: 9 }, (_, i) => ({ text: `Step ${i}.`, calls: [count(`${n}.${i}a`), count(`${n}.${i}b`)] })),
    { text: "All steps." },
  ],
  delegating: (n) => [{ calls: [{ name: "nb__delegate", input: { task: `child ${n}` } }, count(`${n}.done`)] }],
  child: (n) => [{ calls: [count(`${n}.first`), count(`${n}.open`, "drill__wait")] }],
  many: (n) => [
    { calls: [count(`${n}.done`), { name: "nb__delegate", input: { task: `busy ${n}`, maxIterations: 9 } }] },
  ],
  busy: (n) => [
    ...Array.from({ length: 6 }, (_, i) => ({
      calls: Array.from({ length: 100 }, (__, j) => count(`${n}.${i}.${j}`)),
    })),
    { error: "hang" },
  ],
  hello: () => [{ text: "I go on." }],
  repeat: (n) => [{ calls: [count(`${n}.asked`, "asked__count")] }, { text: "Now it ran." }],
};

const play = (message: string): readonly StubTurn[] => {
  const [word = "", n = ""] = message.split(" ");
  return PLAYS[word]?.(n) ?? [];
};

const MOMENTS = Object.keys(PLAYS).slice(0, 7);

/** Resolves when the host is to die. */
const whenToKill = async (moment: string, n: string, { heard, asked, chance }: Watch): Promise<void> => {
  const arrived = (more: number): boolean => model.requests().length >= asked + more;
  if (moment === "silent") return drill.until(() => arrived(1));
  if (moment === "streaming") return drill.until(() => heard.of("text.delta").length > chance * 150);
  if (moment === "calling" || moment === "delegating")
    return drill.until(() => sentTo("drill").includes(`${n}.open`) && ownDone(heard).length > 0);
  if (moment === "asking")
    return drill.until(() => heard.of("approval.needed").length > 0 && heard.of("tool.done").length > 0);
  if (moment === "between") return drill.until(() => arrived(2));
  await drill.until(() => heard.of("tool.done").length > chance * 14);
  await sleep(chance * 5);
};

interface Watch {
  readonly heard: Heard;
  /** Requests that the model had got before. */
  readonly asked: number;
  readonly chance: number;
}

/** Without those of delegates. */
const ownDone = (heard: Heard) => heard.of("tool.done").filter(({ parentRunId }) => parentRunId === undefined);

const sentTo = (provider: string): string[] =>
  readFileSync(drill.callsFile(provider), "utf8").trim().split("\n").filter(Boolean);

const up = async (): Promise<Served> => {
  const host = await drill.serve();
  await Promise.all(PROVIDERS.map((name) => host.running(name)));
  return host;
};

interface Killed {
  readonly moment: string;
  readonly message: string;
  readonly n: string;
  readonly id: string;
  readonly heard: Heard;
  /** The conversation before this message. */
  readonly before: readonly StoredMessage[];
}

const callsOf = (messages: readonly StoredMessage[]): readonly StoredCall[] =>
  messages.flatMap(({ toolCalls = [] }) => toolCalls);

/** What the line of an interrupted run tells of its calls; that of `writing` depends on the moment. */
const LEFT_OPEN: Readonly<Record<string, readonly string[]>> = {
  silent: [],
  streaming: [],
  between: [],
  calling: ["drill__count true success", "drill__wait false indeterminate"],
  asking: ["asked__count false null", "drill__count true success"],
  // What a delegate did is its call's affair.
  delegating: ["drill__count true success", "nb__delegate false indeterminate"],
};

/** What the person was told stands; what was open is told as what it is. Returns the lines of the run. */
const checkHistory = (killed: Killed, after: readonly StoredMessage[]): readonly StoredMessage[] => {
  const { moment, message, n, heard, before } = killed;
  expect(after.slice(0, before.length)).toEqual(before);
  const [asked, ...lines] = after.slice(before.length);
  expect(asked).toMatchObject({ role: "user", content: message });
  const calls = callsOf(lines);
  for (const { name, outcome, evidenceId } of ownDone(heard)) {
    expect(calls.filter((call) => call.evidenceId === evidenceId)).toMatchObject([{ name, outcome }]);
  }
  const cut = lines.filter(({ interrupted }) => interrupted === true);
  const known = LEFT_OPEN[moment];
  if (known !== undefined) {
    expect(new Set(callsOf(cut).map(({ name, ok, outcome }) => `${name} ${ok} ${outcome}`))).toEqual(new Set(known));
  }
  if (moment === "between")
    expect(calls).toMatchObject([{ name: "drill__count", input: { n: `${n}.done` }, ok: true }]);
  expect(cut.length).toBeLessThanOrEqual(1);
  if (cut.length > 0) expect(lines.at(-1)).toBe(cut[0]);
  return lines;
};

/** The next message is answered; returns what the model got. The run that was cut is nothing to follow any more. */
const goOn = async (host: Served, { heard, id, n }: Killed): Promise<StubRequest> => {
  const asked = model.requests().length;
  const { runId } = heard.of("chat.start")[0]!;
  expect(await askOf(host, host.key)("GET", `/v1/runs/${runId}/events`)).toMatchObject({
    status: 404,
    json: { error: "not_found", remedy: expect.stringContaining("/history") },
  });
  const result = await talkOut(host, { message: `hello ${n}`, conversationId: id });
  expect(result).toMatchObject({ response: "I go on.", conversationId: id, stopReason: "complete" });
  expect(model.requests().slice(asked).map(messageOf)).toEqual([`hello ${n}`]);
  return model.requests()[asked]!;
};

/** The model sees what was left open. */
const checkTold = ({ last }: StubRequest, lines: readonly StoredMessage[]): void => {
  if (lines.at(-1)?.stopReason !== undefined) return;
  expect(last).toContain("The last run in this conversation was interrupted: ");
  for (const { name, outcome } of callsOf(lines.filter(({ interrupted }) => interrupted))) {
    expect(last).toContain(`${name}: `);
    if (outcome === "indeterminate") expect(last).toContain("nobody knows whether it took effect");
    if (outcome === null) expect(last).toContain("approval_pending");
  }
};

/** What waited when the host was killed can still be approved, and the same call then runs. */
const checkApproval = async (host: Served, { heard, id, n }: Killed): Promise<void> => {
  const ask = askOf(host, host.key);
  const approval = `/v1/approvals/${heard.of("approval.needed")[0]?.approvalId}`;
  expect(await ask("POST", approval, { body: { decision: "approve" } })).toMatchObject({ status: 200 });
  const result = await talkOut(host, { message: `repeat ${n}`, conversationId: id });
  expect(result).toMatchObject({ response: "Now it ran.", toolCalls: [{ name: "asked__count", ok: true }] });
  expect(await ask("GET", approval)).toMatchObject({ json: { state: "consumed" } });
};

/** Every call that began has one end, nothing was done twice, and the chain is whole. */
const checkEffects = (): void => {
  const evidence = openEvidence(drill.workDir);
  const events = [...evidence.range(1, evidence.last())].map((line) => JSON.parse(line) as Record<string, string>);
  expect(evidence.verify()).toMatchObject({ valid: true, count: events.length });
  evidence.close();
  const runs = Map.groupBy(
    events.filter(({ event_type = "" }) => /^execution_(started|completed|failed|indeterminate)$/.test(event_type)),
    (event) => event["invocation_id"],
  );
  for (const [, [first, ...rest]] of runs) {
    expect([first?.["event_type"], rest.length]).toEqual(["execution_started", 1]);
  }
  for (const provider of PROVIDERS) {
    const sent = sentTo(provider);
    expect(sent.filter((n, i) => sent.indexOf(n) !== i)).toEqual([]);
  }
  expect(sentTo("asked")).toHaveLength(ROUNDS / MOMENTS.length);
};

it(`${ROUNDS} times: the conversation opens with all that was told, nothing is repeated, the next message goes on`, async () => {
  model = await startObedientModel(play);
  drill = await createDrill(PROVIDERS, { ...modelSettings(model), policy: POLICY });
  const next = seeded(20_261_116);
  const ids: string[] = [];
  const kept = new Map<string, readonly StoredMessage[]>();
  let unknown = 0;
  let host = await up();
  for (let round = 0; round < ROUNDS; round++) {
    const moment = MOMENTS[round % MOMENTS.length]!;
    const [n, known] = [`r${round}`, ids[Math.floor(round / MOMENTS.length) % CONVERSATIONS]];
    const message = `${moment} ${n}`;
    const asked = model.requests().length;
    const heard = talk(host, { message, ...(known === undefined ? {} : { conversationId: known }) });
    await whenToKill(moment, n, { heard, asked, chance: next() });
    host.kill();
    await heard.ended;
    expect(await drill.leftovers(5_000)).toEqual([]);
    const id = heard.of("chat.start")[0]!.conversationId;
    if (known === undefined) ids.push(id);

    host = await up();
    const killed = { moment, message, n, id, heard, before: kept.get(id) ?? [] };
    // Every other time somebody looks at it before the next message.
    const opened = round % 2 === 0 ? await historyOf(host, id) : [];
    const request = await goOn(host, killed);
    const after = await historyOf(host, id);
    expect(after.slice(0, opened.length)).toEqual(opened);
    const lines = checkHistory(killed, after.slice(0, -2));
    checkTold(request, lines);
    unknown += callsOf(lines).filter(({ outcome }) => outcome === "indeterminate").length;
    if (moment === "asking") await checkApproval(host, killed);
    kept.set(id, await historyOf(host, id));
  }
  expect(unknown).toBeGreaterThanOrEqual((2 * ROUNDS) / MOMENTS.length);
  expect(await host.stop()).toBe(0);
  host = await up();
  for (const id of ids) expect(await historyOf(host, id)).toEqual(kept.get(id));
  expect(ids).toHaveLength(CONVERSATIONS);
  await host.stop();
  checkEffects();
}, 240_000);

it("a call is not forgotten because a delegate made hundreds after it", async () => {
  model = await startObedientModel(play);
  drill = await createDrill(PROVIDERS, modelSettings(model));
  let host = await up();
  const heard = talk(host, { message: "many m" });
  await model.arrived(8);
  expect(ownDone(heard)).toHaveLength(1);
  host.kill();
  await heard.ended;
  host = await up();
  const { conversationId } = heard.of("chat.start")[0]!;
  const [, cut, ...rest] = await historyOf(host, conversationId);
  expect([cut?.interrupted, rest]).toEqual([true, []]);
  expect(cut?.toolCalls).toMatchObject([
    { name: "drill__count", ok: true, evidenceId: ownDone(heard)[0]?.evidenceId },
    { name: "nb__delegate", ok: false, outcome: "indeterminate" },
  ]);
  await host.stop();
}, 60_000);
