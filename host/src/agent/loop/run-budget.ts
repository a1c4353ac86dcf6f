/** What is left of a run: model calls and input tokens, those of its children included. */
import type { ChildSpending } from "../../kernel/call-run.ts";

interface BudgetLimits {
  readonly maxIterations: number;
  readonly maxInputTokens: number;
  /** Of a child: tokens that the run has left which asked for it; others use them up beside this one. */
  readonly leftAbove?: () => number;
}

export class RunBudget {
  readonly maxIterations: number;
  readonly maxInputTokens: number;
  readonly #leftAbove: () => number;
  #begun = 0;
  #inputTokens = 0;
  readonly #children: ChildSpending[] = [];

  constructor({ maxIterations, maxInputTokens, leftAbove = () => Number.POSITIVE_INFINITY }: BudgetLimits) {
    this.maxIterations = maxIterations;
    this.maxInputTokens = maxInputTokens;
    this.#leftAbove = leftAbove;
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
    return Math.min(this.#ownLeft(), this.#leftAbove());
  }

  /** More was used than there was, by this run or by others beside it. */
  isOverdrawn(): boolean {
    return this.#inputTokens > this.maxInputTokens || (this.#ownLeft() > 0 && this.#leftAbove() === 0);
  }

  #ownLeft(): number {
    return Math.max(0, this.maxInputTokens - this.#inputTokens);
  }
}
