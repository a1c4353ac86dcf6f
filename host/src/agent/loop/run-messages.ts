/**
 * What a run sends to the model: the conversation, the person's message with the block of what is so at this moment at its
 * end, and what the run itself has added since. The block has the same place in every model call.
 */
import { HostError } from "../../kernel/host-error.ts";
import type { ModelMessage } from "../../kernel/model.ts";
import type { LoopOptions } from "./loop-options.ts";

export class RunMessages {
  #given: readonly ModelMessage[];
  readonly #added: ModelMessage[] = [];

  /** The last one is the person's. */
  constructor(given: readonly ModelMessage[]) {
    this.#given = given;
  }

  add(...messages: readonly ModelMessage[]): void {
    this.#added.push(...messages);
  }

  write(block: string): readonly ModelMessage[] {
    const person = this.#given.at(-1);
    if (person?.role !== "user") throw new HostError("The last message of the conversation is not a person's.");
    const text = [person.text, block].filter((part) => part !== "").join("\n\n");
    return [...this.#given.slice(0, -1), { role: "user", text }, ...this.#added];
  }

  /** For the rest of the run. What the run itself has added stays. False: nothing can be left out. */
  shorten(by: LoopOptions["shorten"]): boolean {
    const shorter = by(this.#given);
    if (shorter === null) return false;
    this.#given = shorter;
    return true;
  }
}
