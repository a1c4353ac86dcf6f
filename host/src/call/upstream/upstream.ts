/**
 * Stage 10, the only place that invokes a provider. A call is sent once; only a tool that declares itself idempotent is
 * sent a second time, and only when nobody knows how the first attempt ended. A server that wants answers first has not
 * begun: what follows is the next round of the same call.
 */
import type { Ending } from "../../kernel/call.ts";
import type { CallInput, ProviderAnswer } from "../../kernel/provider.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { clientRootsNow } from "../../kernel/roots-of-call.ts";
import { advance, type Opened, type Sent } from "../../kernel/stages.ts";
import { checkSkillRead } from "./check-skill-read.ts";
import { endCall } from "./end-call.ts";
import { GovernedAsker, type AskRules } from "./governed-asker.ts";
import { answerInput, wantInput } from "./input-rounds.ts";
import { requestOf } from "./request-of.ts";
import { addRootAnswers } from "./root-answers.ts";
import { keepChunks, withFindings, type CheckOutput } from "./result-findings.ts";
import type { Spill } from "./spill.ts";
import { beginTask, withdrawLateTask, type TaskDesk } from "./task-begin.ts";
import { askForTask, finishTask, legacyTaskOf } from "./task-legacy.ts";

const STAGE = 10;
const RECONNECT_WAIT_MS = 2_000;
const MAX_ROUNDS = 8;

export interface UpstreamOptions extends AskRules {
  /** Writes down that an attempt ended without an answer, before the next one is made. */
  readonly recordAttempt: (call: Opened, reason: string) => Promise<void>;
  /** The digest of this exact call as it is now. */
  readonly digestOf: (call: Opened) => string;
  /** What a tool's own output schema has against this result; null: nothing. */
  readonly checkOutput: CheckOutput;
  /** Where a call may work and its paths, resolved anew; throws the Refusal. */
  readonly resolve: (call: Opened) => Pick<Opened, "roots" | "resolvedArgs">;
  /** Keeps what is too large to be answered. */
  readonly spill: Spill;
  /** Where calls that become tasks are taken on. */
  readonly desk: TaskDesk;
}

export const createUpstream =
  (options: UpstreamOptions) =>
  async (call: Opened): Promise<Sent> => {
    const started = performance.now();
    const ending = await options.spill(call, await settle(call, options));
    return advance(call, { ending, durationMs: Math.round(performance.now() - started) });
  };

const settle = async (call: Opened, options: UpstreamOptions): Promise<Ending> => {
  const asker = new GovernedAsker(call, options);
  try {
    refuseChanged(call, options);
    refuseChangedCall(call, options);
    return await converse(call, asker, options);
  } catch (no) {
    if (!(no instanceof Refusal)) throw no;
    return mayRepeat(call, no) ? repeat(call, no, options) : { kind: "refusal", refusal: no, stage: STAGE };
  }
};

/** Sends, and goes on for as long as the server wants answers that this caller can give while it waits. */
const converse = async (call: Opened, asker: GovernedAsker, options: UpstreamOptions): Promise<Ending> => {
  const late = (): ((answer: ProviderAnswer) => void) => lateAnswer(call, options.desk);
  const chunks = keepChunks(call);
  const { rootsOf } = options;
  let input = await bringInput(call, asker, options);
  for (let round = 1; ; round++) {
    const request = askForTask(call, requestOf(call, { asker, input, late, rootsOf }));
    const answer = await call.target.provider.send(request);
    if (answer.kind === "result" && call.operation === "read") await checkSkillRead(call, answer.value);
    if (answer.kind !== "partial") {
      const task = legacyTaskOf(request, answer);
      const whole = task === null ? answer : await finishTask(call, task, asker);
      return withFindings(endCall(call, whole, asker), { call, answer: whole, chunks, check: options.checkOutput });
    }
    if (answer.resultType === "task" && call.operation === "call") return beginTask(call, answer, options.desk);
    const wanted = wantInput(call, answer, asker);
    if ("kind" in wanted) return wanted;
    if (round > MAX_ROUNDS) throw askedTooOften(call);
    input = await answerInput(call, wanted, asker);
    refuseChanged(call, options);
  }
};

/** What the caller brought, with the host's own answers; that these were given is recorded before they are. */
const bringInput = async (
  call: Opened,
  asker: GovernedAsker,
  { recordRound }: UpstreamOptions,
): Promise<CallInput | null> => {
  const answered = addRootAnswers(call, () => asker.listing());
  for (const question of answered?.questions ?? [])
    await recordRound(call, { method: "roots/list", question, answer: asker.listing() });
  return answered?.input ?? null;
};

/** Remembered for as long as the server may still answer, so it holds nothing of the request. */
const lateAnswer = (call: Opened, desk: TaskDesk): ((answer: ProviderAnswer) => void) => {
  const invocation = desk.describe(call);
  const { principal, target } = call;
  return (answer) => {
    const facts = { kind: answer.kind, output_bytes: Buffer.byteLength(answer.json) };
    const said = { output_commitment: answer.json };
    // The call was answered long ago; if the log cannot be written now, `writable()` tells the next one.
    desk.note(invocation, { type: "dev.bailiwick.late_answer", facts, said }).catch((no: unknown) => {
      if (!(no instanceof Refusal)) desk.reportBug(no);
    });
    withdrawLateTask({ principal, provider: target.provider }, answer, desk);
  };
};

/** Asked right before each send: a turn later it may be untrue. */
const refuseChanged = (call: Opened, options: UpstreamOptions): void => {
  refuseChangedDefinition(call);
  refuseChangedPaths(call, options);
};

/** The definition that was checked must still be the one that runs: of one that is held the server has another by now. */
const refuseChangedDefinition = ({ target }: Opened): void => {
  if (!target.tool) return;
  const { tools } = target.provider.catalogue();
  const now = tools.includes(target.tool) ? target.tool : tools.find((tool) => tool.name === target.name);
  if (now?.definition === target.tool.definition && now.held === undefined) return;
  throw new Refusal("stale_surface", {
    message: `${target.flatName} changed while this call was on its way; nothing was sent.`,
    next: "List the tools again and repeat the call.",
  });
};

/** A folder on the way may be a link by now, and a root may be gone or withdrawn. */
const refuseChangedPaths = (call: Opened, { resolve }: UpstreamOptions): void => {
  if (call.roots === null) return;
  const clientRoots = clientRootsNow(call);
  const { roots, resolvedArgs } = resolve(clientRoots === (call.clientRoots ?? null) ? call : { ...call, clientRoots });
  if (roots?.digest === call.roots.digest && resolvedArgs === call.resolvedArgs) return;
  throw new Refusal("stale_surface", {
    message: `The folders that ${call.target.flatName} works in changed while this call was on its way; nothing was sent.`,
    next: "Repeat the call; files__roots tells which roots there are now.",
  });
};

/** What a person approved is what is sent, and nothing else. */
const refuseChangedCall = (call: Opened, { digestOf }: UpstreamOptions): void => {
  if (call.approval === null || digestOf(call) === call.approval.digest) return;
  throw new Refusal("stale_surface", {
    message: `${call.target.flatName} is not the call that was approved; nothing was sent.`,
    next: "Repeat the call; it asks for an approval of its own.",
  });
};

/** Only a lost connection: a server that is slow would get the call a second time while the first still runs. */
const mayRepeat = (call: Opened, no: Refusal): boolean => {
  const annotations = call.target.tool?.value["annotations"] as { idempotentHint?: unknown } | undefined;
  const lost = no.kind === "indeterminate" && no.details["error"] === "connection_lost";
  return lost && annotations?.idempotentHint === true && !call.signal.aborted;
};

const repeat = async (call: Opened, first: Refusal, options: UpstreamOptions): Promise<Ending> => {
  const { provider } = call.target;
  if (!(await provider.whenReady(RECONNECT_WAIT_MS, call.signal)))
    return { kind: "refusal", refusal: first, stage: STAGE };
  await options.recordAttempt(call, first.message);
  try {
    refuseChanged(call, options);
    return await converse(call, new GovernedAsker(call, options), options);
  } catch (no) {
    if (!(no instanceof Refusal)) throw no;
    return { kind: "refusal", refusal: no.kind === "indeterminate" ? no : first, stage: STAGE };
  }
};

const askedTooOften = ({ target }: Opened): Refusal =>
  new Refusal("upstream_failed", {
    message: `${target.flatName} asked for more answers after ${MAX_ROUNDS} rounds, so the call was ended.`,
    next: "Report it to the author of the server.",
    details: { error: "too_many_rounds" },
  });
