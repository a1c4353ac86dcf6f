/**
 * `nb__delegate`: a child loop with a fresh context. The task is its message and never its system prompt; its tools, model
 * calls and tokens are bounded by those of the run that asks.
 */
import type { ToldEvent } from "../../kernel/agent.ts";
import type { BuiltInCall } from "../../kernel/built-in.ts";
import type { CallFacts } from "../../kernel/provider.ts";
import type { ChildSpending, Fence, ParentRun } from "../../kernel/call-run.ts";
import { makeId } from "../../kernel/make-id.ts";
import type { Models } from "../../kernel/model.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { LoopEnd, LoopListener } from "../loop/loop-options.ts";
import { RunBudget } from "../loop/run-budget.ts";
import { runLoop } from "../loop/run-loop.ts";
import { composeDelegatePrompt } from "../prompt/compose-delegate-prompt.ts";
import { neutraliseTags } from "../prompt/neutralise-tags.ts";
import { runtimeContext } from "../prompt/runtime-context.ts";
import { shortenMessages } from "../runs/shorten-messages.ts";
import { JoinedTools } from "../surface/joined-tools.ts";
import type { DelegateOrder, DelegateResult } from "../tools/system-tool-ports.ts";
import { actFor, delegateOf, type ActingAgent } from "./agent-identity.ts";
import type { AgentPorts, AgentSettings, AgentWorkspace, RunRecord } from "./agent-ports.ts";
import { childFence, childIterations, profileOf } from "./child-bounds.ts";
import { countDelegate, countWith } from "./count-delegates.ts";
import { callsOf, toolsOf } from "./equip-run.ts";
import { joinFound } from "./join-found.ts";
import { recordedRun } from "./recorded-run.ts";
import { SurfaceOfRun } from "./surface-of-run.ts";
import { listenerOf } from "./tell-run.ts";

export type Delegate = (order: DelegateOrder, call: BuiltInCall) => Promise<DelegateResult>;

interface Child {
  readonly ports: AgentPorts;
  readonly here: AgentWorkspace;
  readonly models: Models;
  readonly facts: CallFacts;
  readonly signal: AbortSignal;
  readonly order: DelegateOrder;
  readonly profile: AgentSettings["agents"][string] | null;
  readonly acting: ActingAgent;
  readonly parent: ParentRun | null;
  readonly record: RunRecord;
  readonly budget: RunBudget;
  /** Of its tools; null: what its parent may call. */
  readonly globs: readonly string[] | null;
  readonly fence: Fence;
}

const DEEPEST = 3;

export const createDelegate =
  (ports: AgentPorts): Delegate =>
  async (order, call) => {
    const child = await prepare(ports, order, call);
    const { record, acting, facts } = child;
    const { correlationId } = facts;
    await ports.recordStart(record, acting.principal, correlationId);
    return recordedRun({ ports, record, by: acting.principal, correlationId }, async () =>
      resultOf(child, await runChild(child)),
    );
  };

const prepare = async (ports: AgentPorts, order: DelegateOrder, call: BuiltInCall): Promise<Child> => {
  const facts = call.facts();
  const { run: parent } = facts.origin;
  const here = await ports.workspace(facts.workspace);
  if (parent !== null && parent.depth >= DEEPEST) throw tooDeep();
  if (parent?.tokensLeft() === 0) throw nothingLeft();
  const profile = order.agent === null ? null : profileOf(here.settings, order.agent);
  const models = ports.models();
  const model = profile?.model ?? parent?.model ?? models.defaultModel;
  checkModel(models, model);
  if (parent !== null) countDelegate(parent);
  const globs = order.tools ?? profile?.tools ?? null;
  return {
    ports,
    here,
    models,
    facts,
    signal: call.signal,
    order,
    profile,
    acting: delegateOf(ports.identify, actFor(ports.identify, facts.origin).presented, order.agent),
    parent,
    record: {
      runId: makeId("run_"),
      conversationId: parent?.conversationId ?? null,
      model,
      skill: null,
      metadata: null,
      parent: { runId: parent?.runId ?? null, invocationId: facts.invocationId },
    },
    budget: new RunBudget({
      maxIterations: childIterations({
        call: order.maxIterations,
        profile: profile?.maxIterations ?? null,
        remaining: parent?.remaining() ?? null,
      }),
      maxInputTokens: parent?.tokensLeft() ?? here.settings.maxInputTokens,
      ...(parent === null ? {} : { leftAbove: () => parent.tokensLeft() }),
    }),
    globs,
    fence: childFence(globs, parent?.fence ?? null),
  };
};

const runChild = (child: Child): Promise<LoopEnd> => {
  const { ports, here, acting, budget, globs, fence, record, facts, order, profile } = child;
  const { maxDirectTools, identity, maxOutputTokens } = here.settings;
  const surface = new SurfaceOfRun({
    surfaces: ports.surfaces,
    refused: ports.refused,
    principal: () => actFor(ports.identify, { presented: acting.presented, door: "agent" }).principal,
    // Tools that were chosen for the task are shown, however many they are.
    rules: { request: null, skill: globs && { name: order.agent ?? "", allowedTools: globs }, focused: null },
    fence,
    maxDirectTools,
  });
  const joined = new JoinedTools(maxDirectTools);
  const plan = { acting, surface, joined };
  const calls = callsOf({
    plan,
    run: ownRun(child, plan),
    correlationId: facts.correlationId,
    causationId: facts.invocationId,
    waitMs: facts.origin.approvalWaitMs,
  });
  const now = new Date(ports.now());
  return runLoop({
    models: child.models,
    model: record.model,
    prompt: composeDelegatePrompt({
      identity: identity ?? null,
      profile: profile && { name: order.agent ?? "", systemPrompt: profile.systemPrompt },
    }),
    // Whatever a model copied into it is no block of the host's.
    messages: [{ role: "user", text: neutraliseTags(order.task) }],
    runtime: (moment) => runtimeContext({ ...NOTHING_ELSE, ...moment, now, timeZone: ports.timeZone() }),
    tools: toolsOf({ ports, here, calls, plan }),
    budget,
    maxOutputTokens,
    reader: "agent",
    signal: child.signal,
    on: listenerFor(child, surface),
    // A child has no conversation: what it did is in evidence and in the answer of its call.
    keep: async () => {},
    shorten: shortenMessages,
    report: ports.report,
  });
};

const NOTHING_ELSE = { down: [], unavailableSkills: [], focusedApp: null, appStates: [], interrupted: null };

/** The child as the parent of its own children. */
const ownRun = (
  { record, parent, fence, budget }: Child,
  plan: { readonly surface: SurfaceOfRun; readonly joined: JoinedTools },
): ParentRun =>
  countWith(parent, {
    runId: record.runId,
    conversationId: record.conversationId,
    depth: (parent?.depth ?? 0) + 1,
    model: record.model,
    fence,
    remaining: () => budget.remaining(),
    tokensLeft: () => budget.tokensLeft(),
    spend: (spent) => {
      budget.spend(spent);
      parent?.spend(spent);
    },
    tell: (event) => parent?.tell(event),
    nameFor: (name) => plan.surface.nameFor(name),
    join: (names) => joinFound(plan, names),
  });

/** Whoever follows the parent hears of its tools; its text is the answer of the call, and no part of the parent's. */
const listenerFor = ({ record, parent, models }: Child, surface: SurfaceOfRun): LoopListener => {
  const tell = (event: ToldEvent): void => parent?.tell(event);
  const told = listenerOf({
    runId: record.runId,
    parentRunId: parent?.runId ?? "",
    tell,
    resourceUriOf: (tool) => surface.resourceUriOf(tool),
  });
  return {
    ...told,
    text: () => {},
    modelDone: (done) => {
      // As soon as it is used, so that the parent's budget holds while children run.
      parent?.spend(spendingOf(models, record.model, done.usage));
      told.modelDone(done);
    },
  };
};

const spendingOf = (models: Models, model: string, usage: Parameters<Models["costOf"]>[1]): ChildSpending => ({
  ...usage,
  costUsd: models.costOf(model, usage),
});

const resultOf = ({ record, budget }: Child, end: LoopEnd): DelegateResult => ({
  response: end.text,
  stopReason: end.stopReason,
  iterations: end.iterations,
  toolCalls: end.calls.map(({ name, ok, ms }) => ({ name, ok, ms })),
  inputTokens: budget.children.reduce((sum, { inputTokens }) => sum + inputTokens, end.usage.inputTokens),
  outputTokens: budget.children.reduce((sum, { outputTokens }) => sum + outputTokens, end.usage.outputTokens),
  runId: record.runId,
});

const checkModel = (models: Models, model: string): void => {
  models.windowOf(model);
  const sentence = models.unconfigured(model);
  if (sentence !== null)
    throw new Refusal("unavailable", { message: sentence, next: "Do the task without a delegate." });
};

const tooDeep = (): Refusal =>
  new Refusal("outside_delegate", {
    message: `A sub-agent at depth ${DEEPEST} cannot delegate any further.`,
    next: "Do the task itself with the tools that are there.",
    details: { tool: "nb__delegate" },
  });

const nothingLeft = (): Refusal =>
  new Refusal("budget_exceeded", {
    message: "The input tokens of this run are used up, so a sub-agent could do nothing.",
    next: "Answer with what is there, and say what is left to do; another message goes on with new tokens.",
  });
