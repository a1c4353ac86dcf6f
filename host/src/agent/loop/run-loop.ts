/**
 * The loop: the model is asked, the calls of its answer run, and it is asked again, until it asks for no tool or a limit is
 * reached. It knows nothing of conversations, doors or policy; all that it does to the world is handed in.
 */
import type { StopReason } from "../../kernel/agent.ts";
import type { StoredCall } from "../../kernel/conversation.ts";
import type { FinishReason, ModelRequest } from "../../kernel/model.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { admitCall } from "./admit-call.ts";
import { Answer, type AnswerEnd } from "./answer.ts";
import { askModel } from "./ask-model.ts";
import { droppedCall } from "./call-endings.ts";
import { estimateUsage } from "./estimate-usage.ts";
import { limitSentence } from "./limit-sentence.ts";
import type { LoopClock, LoopEnd, LoopOptions } from "./loop-options.ts";
import { cancelled, throwIfCancelled } from "./loop-refusals.ts";
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
  #continuations = 0;
  /** The next answer goes on in the middle of the last. */
  #continues = false;
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
        // Why the run ended is what its readers are to hear, whatever became of what it left.
        await this.#keepInterrupted(answer).catch((lost: unknown) => this.#options.report(lost));
        throw this.#whyEnded(error);
      }
    }
  }

  /** What fails after the cancellation fails because of it, such as a line for a conversation that was deleted. */
  #whyEnded(error: unknown): unknown {
    const { signal, report } = this.#options;
    if (!signal.aborted || (error instanceof Refusal && error.kind === "cancelled")) return error;
    report(error);
    return cancelled(signal);
  }

  /** One iteration. Null: another follows. */
  async #pass(answer: Answer): Promise<LoopEnd | null> {
    const { budget, on } = this.#options;
    const end = await this.#ask(answer);
    budget.use(end.usage.inputTokens);
    on.modelDone({ iteration: this.#iterations, finish: end.finish, usage: end.usage });
    if (answer.calls.length === 0)
      return this.#mayContinue(end.finish) ? this.#continue(answer) : this.#complete(answer);
    if (budget.isOverdrawn()) return this.#drop(answer, "token_budget");
    if (budget.isLast()) return this.#drop(answer, "iteration_limit");
    return this.#runCalls(answer, end);
  }

  async #ask(answer: Answer): Promise<AnswerEnd> {
    const { models, budget, signal } = this.#options;
    // First, so that no text of the iteration before is kept twice.
    this.#text.begin(this.#continues);
    this.#continues = false;
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
    this.#continues = text.trim() !== "";
    if (this.#continues) this.#messages.add({ role: "assistant", text, calls: [] }, { role: "user", text: GO_ON });
    else this.#notice = CUT_UNSEEN;
    return null;
  }

  async #complete(answer: Answer): Promise<LoopEnd> {
    await this.#keep(answer, "complete");
    return this.#end(answer, "complete");
  }

  /** Nobody could read the results, so nothing runs. */
  async #drop(answer: Answer, dropped: NonNullable<StoredCall["dropped"]>): Promise<LoopEnd> {
    const { budget, tools, reader } = this.#options;
    const named = answer.name((written) => tools.fullName(written));
    for (const [index, call] of named.entries()) answer.store(index, droppedCall(call, dropped, budget));
    const stopReason = dropped === "token_budget" ? "token_budget" : "max_iterations";
    if (this.#text.whole.trim() === "") this.#text.add(limitSentence(stopReason, reader, budget));
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
