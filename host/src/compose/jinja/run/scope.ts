/** Names and their values, one scope inside the other. */
import { Undefined, type Value } from "../values/values.ts";

export class Scope {
  readonly names: Map<string, Value>;
  readonly #parent: Scope | null;

  constructor(parent: Scope | null, names = new Map<string, Value>()) {
    this.names = names;
    this.#parent = parent;
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
