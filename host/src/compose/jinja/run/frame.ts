/** Where the work on a template stands: its scope, its blocks, and where its text goes. */
import type { Budget } from "../values/budget.ts";
import type { Engine } from "./engine.ts";
import type { BlockNode, Template } from "../parse/nodes.ts";
import type { Scope } from "./scope.ts";

/**
 * Collects text. Muted: the template extends another, so that its own text and prints do not count. As in Jinja2, what a muted
 * template includes or calls still does, before all else.
 */
export class Sink {
  readonly #budget: Budget;
  text = "";
  muted = false;

  constructor(budget: Budget) {
    this.#budget = budget;
  }

  write(text: string): void {
    if (!this.muted) this.force(text);
  }

  force(text: string): void {
    this.#budget.spendText(text.length);
    this.text += text;
    if (this.text.length > this.#budget.maxText) this.#budget.spendText(this.text.length);
  }
}

/** A block as one template of a line of inheritance has it. */
export interface BlockVersion {
  readonly node: BlockNode;
  readonly template: Template;
}

/** One template that is being rendered, with those it extends. */
export interface Unit {
  readonly root: Scope;
  /** The nearest version first. */
  readonly blocks: Map<string, BlockVersion[]>;
  readonly exported: Set<string>;
  parent: Template | null;
}

export interface Frame {
  readonly engine: Engine;
  readonly unit: Unit;
  readonly template: Template;
  readonly scope: Scope;
  /** What a block sees: the root, unless an outer block is scoped. */
  readonly base: Scope;
  readonly sink: Sink;
}
