/** Runs the calls of one answer: all start together, and whatever becomes of one does not hold back the others. */
import type { FinishReason, ModelMessage } from "../../kernel/model.ts";
import type { Answer } from "./answer.ts";
import {
  brokenEnding,
  cutEnding,
  MOST_CALLS,
  noObjectEnding,
  storedCall,
  tooManyEnding,
  withdrawnEnding,
  type NamedCall,
} from "./call-endings.ts";
import type { LoopClock, LoopOptions, ToolEnding } from "./loop-options.ts";
import { cancelled, evidenceUnavailable } from "./loop-refusals.ts";
import type { Supervisor } from "./supervisor.ts";

export interface RunCallsOptions extends Pick<LoopOptions, "tools" | "on" | "signal"> {
  readonly answer: Answer;
  readonly finish: FinishReason;
  readonly supervisor: Supervisor;
  readonly clock: LoopClock;
}

/** What is held until all have ended: never the whole result. */
interface Ended extends NamedCall {
  readonly ending: Pick<ToolEnding, "ok" | "code" | "text" | "content" | "bearing">;
}

/** The results for the model, in the order of the calls. Throws what ends the run, when all that were begun have ended. */
export const runCalls = async (options: RunCallsOptions): Promise<ModelMessage & { role: "tool" }> => {
  const batch = new Batch(options);
  const settled = await Promise.allSettled(options.answer.calls.map((_, index) => batch.run(index)));
  const failed = settled.find(({ status }) => status === "rejected");
  if (failed?.status === "rejected") throw failed.reason;
  if (options.signal.aborted) throw cancelled(options.signal);
  if (batch.stopped !== null) throw batch.stopped.error;
  for (const { call, name, ending } of batch.ended) {
    options.supervisor.observe({ name, input: call.input ?? call.inputText, ending });
  }
  return { role: "tool", results: batch.ended.map(toResult) };
};

class Batch {
  readonly ended: Ended[] = [];
  stopped: { readonly error: unknown } | null = null;
  readonly #options: RunCallsOptions;
  readonly #calls: readonly NamedCall[];

  constructor(options: RunCallsOptions) {
    this.#options = options;
    this.#calls = options.answer.name((written) => options.tools.fullName(written));
  }

  async run(index: number): Promise<void> {
    const { answer, on, signal, clock } = this.#options;
    const named = this.#calls[index];
    if (named === undefined || signal.aborted) return;
    const { call, name } = named;
    on.toolStart({ id: call.id, name });
    const began = clock.now();
    const no = this.#refuse(index, named);
    const ending = no === null ? await this.#send(named) : await this.#record(index, name, no);
    const stored = storedCall(named, ending, Math.max(0, Math.round(clock.now() - began)));
    answer.store(index, stored);
    const { ok, code, text, content, bearing } = ending;
    this.ended[index] = { call, name, ending: { ok, code, text, content, bearing } };
    if (code === "evidence_unavailable" || code === "outcome_unrecorded") {
      this.stopped ??= { error: evidenceUnavailable(`the call of ${name}`) };
    }
    on.toolDone(stored, ending);
  }

  /** Null: it is to be run. */
  #refuse(index: number, { call, name }: NamedCall): ToolEnding | null {
    const { finish, supervisor } = this.#options;
    if (index >= MOST_CALLS) return tooManyEnding();
    if (call.input === null) {
      const isCut = finish === "length" && index === this.#calls.length - 1;
      return isCut ? cutEnding(name) : noObjectEnding(name);
    }
    const why = supervisor.whyWithdrawn(name);
    return why === null ? null : withdrawnEnding(why);
  }

  /** Of those beyond the limit the first speaks for all. */
  async #record(index: number, name: string, no: ToolEnding): Promise<ToolEnding> {
    if (index > MOST_CALLS || no.code === null) return no;
    const evidenceId = await this.#options.tools.refuse({ name, code: no.code, why: no.content });
    if (evidenceId === null) this.stopped ??= { error: evidenceUnavailable(`the call of ${name}`) };
    return { ...no, evidenceId };
  }

  async #send({ call, name }: NamedCall): Promise<ToolEnding> {
    const { tools, on, signal } = this.#options;
    const { id, input } = call;
    try {
      return await tools.call({
        id,
        name,
        input: input ?? {},
        signal,
        progress: (told) => on.toolProgress(id, told),
        waits: (approval) => on.approvalNeeded({ id, name, input }, approval),
      });
    } catch (error) {
      this.stopped ??= { error };
      return brokenEnding(name);
    }
  }
}

const toResult = ({ call, ending }: Ended) => ({
  callId: call.id,
  name: call.name,
  text: ending.text,
  isError: !ending.ok,
});
