/** Names and their values, one scope inside the other. */
import { Undefined, type Value } from "../values/values.ts";

export class Scope {
  readonly names: Map<string, Value>;
  readonly #parent: Scope | null;
  /** How many a name may be looked for in. */
  readonly depth: number;

  constructor(parent: Scope | null, names = new Map<string, Value>()) {
    this.names = names;
    this.#parent = parent;
    this.depth = parent === null ? 1 : parent.depth + 1;
  }

  get(name: string): Value {
    const own = this.names.get(name);
    if (own !== undefined) return own;
    for (let scope = this.#parent; scope !== null; scope = scope.#parent) {
      const value = scope.names.get(name);
      if (value !== undefined) return value;
    }
    return new Undefined(`'${name}' is undefined`);
  }
}
