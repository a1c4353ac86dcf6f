/**
 * Calls that were given up, and who wants to hear when the server answers after all. The oldest are forgotten.
 */
import type { ProviderAnswer } from "../../kernel/provider.ts";
import type { Dialect } from "./frame.ts";
import type { Exchange } from "./exchange.ts";
import type { Reply } from "./read-message.ts";
import { toAnswer } from "./to-answer.ts";

const KEPT = 1_024;

export class LateAnswers {
  readonly #expected = new Map<number, ((answer: ProviderAnswer) => void) | null>();

  expect({ id, options }: Exchange): void {
    this.#expected.set(id, options.call?.late() ?? null);
    const [oldest] = this.#expected.keys();
    if (this.#expected.size > KEPT) this.#expected.delete(oldest as number);
  }

  /** False: it answers nothing that was ever asked. A second answer is such a one too. */
  take(id: number, reply: Reply | null, { era }: Dialect): boolean {
    const tell = this.#expected.get(id);
    if (tell === undefined) return false;
    this.#expected.delete(id);
    if (reply) tell?.(toAnswer(reply, era));
    return true;
  }
}
