/** What is left of a run: model calls and input tokens, those of its children included. */
import type { ChildSpending } from "../../kernel/call-run.ts";

export class RunBudget {
  readonly maxIterations: number;
  readonly maxInputTokens: number;
  #begun = 0;
  #inputTokens = 0;
  readonly #children: ChildSpending[] = [];

  constructor(limits: { readonly maxIterations: number; readonly maxInputTokens: number }) {
    this.maxIterations = limits.maxIterations;
    this.maxInputTokens = limits.maxInputTokens;
  }

  /** A model call begins; returns its number, from 1. */
  begin(): number {
    return ++this.#begun;
  }

  /** Of the run itself. */
  use(inputTokens: number): void {
    this.#inputTokens += inputTokens;
  }

  /** Of a child. */
  spend(child: ChildSpending): void {
    this.#inputTokens += child.inputTokens;
    this.#children.push(child);
  }

  get children(): readonly ChildSpending[] {
    return this.#children;
  }

  /** The running one counts. */
  remaining(): number {
    return this.maxIterations - Math.max(0, this.#begun - 1);
  }

  isLast(): boolean {
    return this.#begun >= this.maxIterations;
  }

  tokensLeft(): number {
    return Math.max(0, this.maxInputTokens - this.#inputTokens);
  }

  /** More was used than there was. */
  isOverdrawn(): boolean {
    return this.#inputTokens > this.maxInputTokens;
  }
}
