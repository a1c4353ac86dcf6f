/**
 * The loop: the model is asked, the calls of its answer run, and it is asked again, until it asks for no tool or a limit is
 * reached. It knows nothing of conversations, doors or policy; all that it does to the world is handed in.
 */
import type { StopReason } from "../../kernel/agent.ts";
import type { StoredCall } from "../../kernel/conversation.ts";
import type { FinishReason, ModelRequest } from "../../kernel/model.ts";
import { admitCall } from "./admit-call.ts";
import { Answer, type AnswerEnd } from "./answer.ts";
import { askModel } from "./ask-model.ts";
import { droppedCall } from "./call-endings.ts";
import { estimateUsage } from "./estimate-usage.ts";
import type { LoopClock, LoopEnd, LoopOptions } from "./loop-options.ts";
import { throwIfCancelled } from "./loop-refusals.ts";
import { REAL_CLOCK } from "./real-clock.ts";
import { runCalls } from "./run-calls.ts";
import { RunMessages } from "./run-messages.ts";
import { RunText } from "./run-text.ts";
import { RunTotals } from "./run-totals.ts";
import { Supervisor } from "./supervisor.ts";

const MOST_CONTINUATIONS = 3;
const GO_ON =
  "Your answer was cut by the limit of output tokens. Go on exactly where it stopped: repeat nothing, and say nothing about the cut.";
const CUT_UNSEEN =
  "Your last answer was cut by the limit of output tokens before it said anything. Answer more briefly.";
const LEFT_OUT = "Earlier messages of this conversation were left out, because they are too long for the model.";

/** Throws the Refusal that ended the run (`cancelled`, `model_failed`, `model_unconfigured`, `evidence_unavailable`), or a bug. */
export const runLoop = (options: LoopOptions): Promise<LoopEnd> => new Loop(options).run();

class Loop {
  readonly #options: LoopOptions;
  readonly #clock: LoopClock;
  readonly #text: RunText;
  readonly #messages: RunMessages;
  readonly #supervisor = new Supervisor();
  readonly #totals = new RunTotals();
  readonly #calls: StoredCall[] = [];
  readonly #ids = new Set<string>();
  #iterations = 0;
  #llmMs = 0;
  /** In a row. */
  #continuations = 0;
  #hasLeftOut = false;
  #notice: string | null = null;

  constructor(options: LoopOptions) {
    this.#options = options;
    this.#clock = options.clock ?? REAL_CLOCK;
    this.#text = new RunText((delta) => options.on.text(delta));
    this.#messages = new RunMessages(options.messages);
  }

  async run(): Promise<LoopEnd> {
    for (;;) {
      const answer = new Answer();
      try {
        const end = await this.#pass(answer);
        if (end !== null) return end;
      } catch (error) {
        await this.#keepInterrupted(answer);
        throw error;
      }
    }
  }

  /** One iteration. Null: another follows. */
  async #pass(answer: Answer): Promise<LoopEnd | null> {
    const { budget, on } = this.#options;
    const end = await this.#ask(answer);
    budget.use(end.usage.inputTokens);
    on.modelDone({ iteration: this.#iterations, finish: end.finish, usage: end.usage });
    if (answer.calls.length === 0)
      return this.#mayContinue(end.finish) ? this.#continue(answer) : this.#complete(answer);
    this.#continuations = 0;
    if (budget.isOverdrawn()) return this.#drop(answer, "token_budget");
    if (budget.isLast()) return this.#drop(answer, "iteration_limit");
    return this.#runCalls(answer, end);
  }

  async #ask(answer: Answer): Promise<AnswerEnd> {
    const { models, budget, signal } = this.#options;
    // First, so that no text of the iteration before is kept twice.
    this.#text.begin(this.#continuations > 0 && this.#notice === null);
    throwIfCancelled(signal);
    this.#iterations = budget.begin();
    const end = await askModel({
      models,
      request: () => this.#request(),
      answer,
      text: this.#text,
      admit: (call) => admitCall(call, this.#ids),
      shorten: () => this.#shorten(),
      clock: this.#clock,
      signal,
    });
    this.#llmMs += answer.llmMs;
    this.#notice = null;
    return end;
  }

  #shorten(): boolean {
    const isShorter = this.#messages.shorten(this.#options.shorten);
    this.#hasLeftOut ||= isShorter;
    return isShorter;
  }

  #request(): ModelRequest {
    const { model, prompt, runtime, tools, budget, maxOutputTokens, signal } = this.#options;
    const notices = [
      ...this.#supervisor.notices(),
      ...(this.#hasLeftOut ? [LEFT_OUT] : []),
      ...(this.#notice === null ? [] : [this.#notice]),
    ];
    return {
      model,
      stable: prompt.stable,
      varying: prompt.varying,
      messages: this.#messages.write(runtime({ lastIteration: budget.isLast(), notices })),
      tools: this.#supervisor.leave(tools.list(), (written) => tools.fullName(written)),
      maxOutputTokens,
      signal,
    };
  }

  /** A text that was cut goes on as long as there are model calls and tokens left for it. */
  #mayContinue(finish: FinishReason): boolean {
    const { budget } = this.#options;
    const isLeft = !budget.isLast() && !budget.isOverdrawn();
    return finish === "length" && isLeft && this.#continuations < MOST_CONTINUATIONS;
  }

  async #continue(answer: Answer): Promise<null> {
    await this.#keep(answer, null);
    this.#continuations++;
    const text = this.#text.current;
    // Model APIs take no empty message.
    if (text.trim() === "") this.#notice = CUT_UNSEEN;
    else this.#messages.add({ role: "assistant", text, calls: [] }, { role: "user", text: GO_ON });
    return null;
  }

  async #complete(answer: Answer): Promise<LoopEnd> {
    await this.#keep(answer, "complete");
    return this.#end(answer, "complete");
  }

  /** Nobody could read the results, so nothing runs. */
  async #drop(answer: Answer, dropped: NonNullable<StoredCall["dropped"]>): Promise<LoopEnd> {
    const { budget, tools } = this.#options;
    const named = answer.name((written) => tools.fullName(written));
    for (const [index, call] of named.entries()) answer.store(index, droppedCall(call, dropped, budget));
    const stopReason = dropped === "token_budget" ? "token_budget" : "max_iterations";
    if (stopReason === "max_iterations" && this.#text.whole.trim() === "") {
      this.#text.add(
        `The limit of model calls for one message (maxIterations: ${budget.maxIterations}) was reached before there was an answer. Send another message to go on from here.`,
      );
    }
    await this.#keep(answer, stopReason);
    return this.#end(answer, stopReason);
  }

  async #runCalls(answer: Answer, { finish }: AnswerEnd): Promise<null> {
    const { tools, on, signal } = this.#options;
    const results = await runCalls({
      answer,
      finish,
      tools,
      on,
      signal,
      supervisor: this.#supervisor,
      clock: this.#clock,
    });
    await this.#keep(answer, null);
    this.#messages.add({ role: "assistant", text: this.#text.current, calls: answer.calls }, results);
    return null;
  }

  async #keepInterrupted(answer: Answer): Promise<void> {
    if (answer.isKept || (this.#text.current === "" && answer.calls.length === 0)) return;
    await this.#keep(answer, null, true);
  }

  async #keep(answer: Answer, stopReason: StopReason | null, interrupted = false): Promise<void> {
    const { models, model, keep } = this.#options;
    const calls = answer.stored();
    const text = this.#text.current;
    const end = answer.end ?? { finish: "other", usage: estimateUsage(answer, text), model };
    const costUsd = models.costOf(end.model, end.usage);
    answer.isKept = true;
    this.#calls.push(...calls);
    this.#totals.add(end.usage, costUsd);
    await keep({ ...end, text, calls, costUsd, stopReason, interrupted });
  }

  #end(answer: Answer, stopReason: StopReason): LoopEnd {
    return {
      text: this.#text.whole,
      calls: this.#calls,
      stopReason,
      finish: answer.end?.finish ?? "other",
      model: answer.end?.model ?? this.#options.model,
      iterations: this.#iterations,
      llmMs: Math.round(this.#llmMs),
      usage: this.#totals.usage,
      costUsd: this.#totals.costUsd,
    };
  }
}
