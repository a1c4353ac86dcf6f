/** For tests: runs the loop with tools of the test's own and writes down all that it tells, keeps and waits for. */
import type { Models } from "../../kernel/model.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Iteration, LoopEnd, LoopListener, LoopOptions, ToolEnding, ToolOrder } from "./loop-options.ts";
import { RunBudget } from "./run-budget.ts";
import { runLoop } from "./run-loop.ts";

export type TestTool = (order: ToolOrder) => Partial<ToolEnding> | string | Promise<Partial<ToolEnding> | string>;

export interface LoopSetup extends Partial<Omit<LoopOptions, "tools" | "budget" | "signal" | "on">> {
  readonly models: Pick<Models, "call" | "costOf">;
  /** By full name; others are refused as unknown. */
  readonly tools?: Readonly<Record<string, TestTool>>;
  readonly controller?: AbortController;
  readonly maxIterations?: number;
  readonly maxInputTokens?: number;
  readonly on?: Partial<LoopListener>;
  /** Called with every wait in place of it. */
  readonly sleep?: (ms: number) => void | Promise<void>;
}

export interface TestRun {
  readonly end: Promise<LoopEnd>;
  readonly budget: RunBudget;
  readonly controller: AbortController;
  readonly deltas: string[];
  /** Of tools, approvals and model calls, in order: `start call_1`, `done call_1`, `model 1 stop`. */
  readonly told: string[];
  readonly kept: Iteration[];
  readonly waits: number[];
  /** As they were handed to the call path. */
  readonly orders: ToolOrder[];
  readonly reported: unknown[];
}

export const endingOf = (given: Partial<ToolEnding> | string): ToolEnding => {
  const made = typeof given === "string" ? { text: given } : given;
  const text = made.text ?? "fine";
  return {
    ok: true,
    outcome: "success",
    code: null,
    text,
    output: text,
    resultJson: rawJson("{}"),
    evidenceId: "ev_1",
    content: text,
    bearing: made.ok === false ? "error" : "success",
    ...made,
  };
};

const unknownTool = ({ name }: ToolOrder): ToolEnding =>
  endingOf({ ok: false, outcome: "denied", code: "unknown_tool", text: `unknown_tool: There is no tool ${name}.` });

export const startLoop = (setup: LoopSetup): TestRun => {
  const { models, tools = {}, maxIterations = 10, maxInputTokens = 500_000, on = {}, sleep, ...others } = setup;
  const { controller = new AbortController() } = setup;
  const budget = new RunBudget({ maxIterations, maxInputTokens });
  const seen = { deltas: [], told: [], kept: [], waits: [], orders: [], reported: [] } as Pick<
    TestRun,
    "deltas" | "told" | "kept" | "waits" | "orders" | "reported"
  >;
  const end = runLoop({
    models,
    model: "test-model",
    prompt: { stable: "You are a host.", varying: "" },
    messages: [{ role: "user", text: "Hello" }],
    runtime: ({ lastIteration, notices }) => `<now${lastIteration ? " last" : ""}>${notices.join("|")}`,
    budget,
    maxOutputTokens: 100,
    reader: "person",
    signal: controller.signal,
    keep: (iteration) => {
      seen.kept.push(iteration);
      return Promise.resolve();
    },
    shorten: () => null,
    report: (error) => seen.reported.push(error),
    clock: {
      now: () => 0,
      random: () => 0,
      sleep: async (ms) => {
        seen.waits.push(ms);
        await sleep?.(ms);
      },
    },
    ...others,
    tools: {
      list: () =>
        Object.keys(tools).map((name) => ({ name: written(name), description: "", inputSchema: { type: "object" } })),
      refuse: async ({ code }) => `ev_${code}`,
      fullName: (name) => Object.keys(tools).find((full) => written(full) === name) ?? name,
      call: async (order) => {
        seen.orders.push(order);
        return endingOf(await (tools[order.name] ?? unknownTool)(order));
      },
    },
    on: { ...listen(seen), ...on },
  });
  // A test that looks elsewhere first must not end the process.
  end.catch(() => {});
  return { end, budget, controller, ...seen };
};

/** Names that models do not take are written otherwise. */
const written = (name: string): string => name.replaceAll(".", "_");

const listen = ({ deltas, told }: Pick<TestRun, "deltas" | "told">): LoopListener => ({
  text: (delta) => deltas.push(delta),
  toolStart: ({ id }) => told.push(`start ${id}`),
  toolProgress: (id, { progress }) => told.push(`progress ${id} ${progress}`),
  approvalNeeded: ({ id, name }, approval) => told.push(`approval ${id} ${name} ${approval.id}`),
  toolDone: ({ id }, { code }) => told.push(`done ${id}${code === null ? "" : ` ${code}`}`),
  modelDone: ({ iteration, finish }) => told.push(`model ${iteration} ${finish}`),
});

/** The Refusal by which it ended. */
export const refusalOf = async (run: TestRun): Promise<Refusal> => {
  const error: unknown = await run.end.then(
    (end) => new Error(`the run did not fail: ${JSON.stringify(end)}`),
    (reason: unknown) => reason,
  );
  if (error instanceof Refusal) return error;
  throw error as Error;
};
