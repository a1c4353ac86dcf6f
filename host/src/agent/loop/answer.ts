/**
 * One answer of the model, while it comes and while its calls run: at every moment, what there is to keep of it.
 */
import type { StoredCall } from "../../kernel/conversation.ts";
import type { ModelEvent, ModelRequest, ModelToolCall } from "../../kernel/model.ts";
import { notBegun, type NamedCall } from "./call-endings.ts";

export type AnswerEnd = Omit<Extract<ModelEvent, { type: "done" }>, "type">;

export class Answer {
  /** As it was last sent. */
  request: ModelRequest | null = null;
  readonly calls: ModelToolCall[] = [];
  /** Null: it is not whole. */
  end: AnswerEnd | null = null;
  /** Of all tries, without the waiting in between. */
  llmMs = 0;
  isKept = false;
  #named: readonly NamedCall[] = [];
  readonly #stored: (StoredCall | undefined)[] = [];

  /** Once, when all calls are there: what the names stand for may change while they run. */
  name(fullName: (written: string) => string): readonly NamedCall[] {
    this.#named = this.calls.map((call) => ({ call, name: fullName(call.name) }));
    return this.#named;
  }

  /** How a call ended. */
  store(index: number, call: StoredCall): void {
    this.#stored[index] = call;
  }

  /** In the order of the calls. One that was never named has the name that the model wrote. */
  stored(): readonly StoredCall[] {
    return this.calls.map(
      (call, index) => this.#stored[index] ?? notBegun(this.#named[index] ?? { call, name: call.name }),
    );
  }
}
