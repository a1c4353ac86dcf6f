/**
 * `nb__delegate`: a child loop with a fresh context. The task is its message and never its system prompt; its tools, model
 * calls and tokens are bounded by those of the run that asks.
 */
import type { RunEvent, StopReason } from "../../kernel/agent.ts";
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
import { runtimeContext } from "../prompt/runtime-context.ts";
import { shortenMessages } from "../runs/shorten-messages.ts";
import { JoinedTools } from "../surface/joined-tools.ts";
import { actFor, delegateOf, type ActingAgent } from "./agent-identity.ts";
import type { AgentPorts, AgentSettings, AgentWorkspace, RunEnded, RunRecord } from "./agent-ports.ts";
import { childFence, childIterations, profileOf } from "./child-bounds.ts";
import { callsOf, toolsOf } from "./equip-run.ts";
import { joinFound } from "./join-found.ts";
import { SurfaceOfRun } from "./surface-of-run.ts";
import { listenerOf } from "./tell-run.ts";

export interface DelegateOrder {
  readonly task: string;
  /** The name of a profile. */
  readonly agent: string | null;
  /** Globs. */
  readonly tools: readonly string[] | null;
  readonly maxIterations: number | null;
}

export interface Delegated {
  readonly response: string;
  readonly stopReason: StopReason;
  readonly iterations: number;
  readonly toolCalls: readonly { readonly name: string; readonly ok: boolean; readonly ms: number }[];
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly runId: string;
}

export type Delegate = (order: DelegateOrder, call: BuiltInCall) => Promise<Delegated>;

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
    const ended = (how: RunEnded): Promise<void> =>
      ports.recordEnd(record, acting.principal, how).catch((error: unknown) => ports.report(error));
    try {
      const end = await runChild(child);
      const delegated = resultOf(child, end);
      const { stopReason, inputTokens, outputTokens } = delegated;
      await ended({ correlationId, stopReason, inputTokens, outputTokens });
      return delegated;
    } catch (error) {
      await ended({ correlationId, error: error instanceof Refusal ? error.kind : "bug" });
      throw error;
    }
  };

const prepare = async (ports: AgentPorts, order: DelegateOrder, call: BuiltInCall): Promise<Child> => {
  const facts = call.facts();
  const { run: parent } = facts.origin;
  const here = await ports.workspace(facts.workspace);
  if (parent !== null && parent.depth >= DEEPEST) throw tooDeep();
  const profile = order.agent === null ? null : profileOf(here.settings, order.agent);
  const models = ports.models();
  const model = profile?.model ?? parent?.model ?? models.defaultModel;
  checkModel(models, model);
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
    }),
    fence: childFence(order.tools ?? profile?.tools ?? null, parent?.fence ?? null),
  };
};

const runChild = (child: Child): Promise<LoopEnd> => {
  const { ports, here, acting, budget, fence, record, facts, order, profile } = child;
  const { maxDirectTools, identity, maxOutputTokens } = here.settings;
  const surface = new SurfaceOfRun({
    surfaces: ports.surfaces,
    principal: () => actFor(ports.identify, { presented: acting.presented, door: "agent" }).principal,
    rules: { request: null, skill: null, focused: null },
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
    messages: [{ role: "user", text: order.task }],
    runtime: (moment) => runtimeContext({ ...NOTHING_ELSE, ...moment, now, timeZone: ports.timeZone }),
    tools: toolsOf({ ports, here, calls, plan }),
    budget,
    maxOutputTokens,
    signal: child.signal,
    on: listenerFor(child),
    // A child has no conversation: what it did is in evidence and in the answer of its call.
    keep: async () => {},
    shorten: shortenMessages,
  });
};

const NOTHING_ELSE = { down: [], unavailableSkills: [], focusedApp: null, appStates: [], interrupted: null };

/** The child as the parent of its own children. */
const ownRun = (
  { record, parent, fence, budget }: Child,
  plan: { readonly surface: SurfaceOfRun; readonly joined: JoinedTools },
): ParentRun => ({
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
  join: (names) => joinFound(plan, names),
});

/** Whoever follows the parent hears of its tools; its text is the answer of the call, and no part of the parent's. */
const listenerFor = ({ record, parent, models }: Child): LoopListener => {
  const tell = (event: RunEvent): void => parent?.tell(event);
  const told = listenerOf({ runId: record.runId, parentRunId: parent?.runId ?? "", tell });
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

const resultOf = ({ record, budget }: Child, end: LoopEnd): Delegated => ({
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
