/** The name `loop`: where a loop stands. It looks ahead only when it is asked for what comes. */
import { bindArgs } from "../values/args.ts";
import type { Budget } from "../values/budget.ts";
import { equals } from "../values/compare.ts";
import { TemplateError } from "../template-error.ts";
import { Entity, Tuple, Undefined, type Value } from "../values/values.ts";

export interface LoopOptions {
  readonly source: Iterator<Value, undefined>;
  /** Null: not known before the end. */
  readonly length: number | null;
  readonly depth: number;
  /** Null: the loop is not recursive. */
  readonly recurse: ((over: Value) => string) | null;
  readonly budget: Budget;
}

export class LoopState {
  readonly #options: LoopOptions;
  #ahead: Value[] = [];
  /** How many of them were handed out: to take one off the front of a long array is to move all others. */
  #taken = 0;
  #index0 = -1;
  #length: number | null;
  #before: Value | undefined;
  #current: Value | undefined;
  #seen: Value | undefined;

  constructor(options: LoopOptions) {
    this.#options = options;
    this.#length = options.length;
  }

  advance(): Value | undefined {
    this.#before = this.#current;
    this.#current = this.#shift() ?? this.#pull();
    this.#index0 += 1;
    return this.#current;
  }

  #shift(): Value | undefined {
    const next = this.#ahead[this.#taken];
    this.#taken += 1;
    if (this.#taken < this.#ahead.length) return next;
    this.#ahead = [];
    this.#taken = 0;
    return next;
  }

  #pull(): Value | undefined {
    const next = this.#options.source.next();
    return next.done === true ? undefined : next.value;
  }

  #peek(): Value | undefined {
    if (this.#ahead.length === this.#taken) {
      const next = this.#pull();
      if (next !== undefined) this.#ahead.push(next);
    }
    return this.#ahead[this.#taken];
  }

  #count(): number {
    if (this.#length === null) {
      for (let next = this.#pull(); next !== undefined; next = this.#pull()) this.#ahead.push(next);
      this.#length = this.#index0 + 1 + this.#ahead.length - this.#taken;
    }
    return this.#length;
  }

  #cycle(values: readonly Value[]): Value {
    if (values.length === 0) throw new TemplateError("runtime", "no items for cycling given");
    return values[this.#index0 % values.length]!;
  }

  #changed(values: readonly Value[]): boolean {
    const now = new Tuple(values);
    if (this.#seen !== undefined && equals(this.#seen, now, this.#options.budget)) return false;
    this.#seen = now;
    return true;
  }

  #member(name: string): Value | undefined {
    switch (name) {
      case "index":
        return BigInt(this.#index0 + 1);
      case "index0":
        return BigInt(this.#index0);
      case "revindex":
        return BigInt(this.#count() - this.#index0);
      case "revindex0":
        return BigInt(this.#count() - this.#index0 - 1);
      case "first":
        return this.#index0 === 0;
      case "last":
        return this.#peek() === undefined;
      case "length":
        return BigInt(this.#count());
      case "depth":
        return BigInt(this.#options.depth);
      case "depth0":
        return BigInt(this.#options.depth - 1);
      case "previtem":
        return this.#before ?? new Undefined("there is no previous item");
      case "nextitem":
        return this.#peek() ?? new Undefined("there is no next item");
      case "cycle":
        return this.#method("cycle", (values) => this.#cycle(values));
      case "changed":
        return this.#method("changed", (values) => this.#changed(values));
      default:
        return undefined;
    }
  }

  #method(name: string, call: (values: readonly Value[]) => Value): Entity {
    return new Entity({
      type: "method",
      print: () => `<bound method LoopContext.${name}>`,
      call: (args) => call(args.positional),
    });
  }

  entity(): Entity {
    return new Entity({
      type: "LoopContext",
      print: () => `<LoopContext ${this.#index0 + 1}/${this.#count()}>`,
      member: (name) => this.#member(name),
      call: (args) => {
        const { recurse } = this.#options;
        if (recurse === null) {
          throw new TemplateError("runtime", "The loop must have the 'recursive' marker to be called recursively.");
        }
        return recurse(bindArgs(args, "loop", ["!iterable"])[0]!);
      },
    });
  }
}
