/**
 * What a template computes with: Python's types over JSON. An int is a bigint, a float a number, a list an array; no value is an
 * object of the caller's, so there is no prototype to reach.
 */
import { TemplateError } from "../template-error.ts";

export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | readonly Value[]
  | Undefined
  | Markup
  | Tuple
  | Dict
  | Range
  | Stream
  | View
  | Namespace
  | Entity;

/** What a missing name or member gives: prints as nothing, is empty and false; all else with it fails with the reason. */
export class Undefined {
  readonly reason: string;
  constructor(reason: string) {
    this.reason = reason;
  }
}

/** Text that the escape filter has made safe, so that escaping it again changes nothing. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

export class Tuple {
  readonly items: readonly Value[];
  constructor(items: readonly Value[]) {
    this.items = items;
  }
}

/** A pair whose parts have the names `grouper` and `list`. */
export class Group extends Tuple {
  constructor(grouper: Value, list: readonly Value[]) {
    super([grouper, list]);
  }
}

export class Range {
  readonly start: number;
  readonly stop: number;
  readonly step: number;
  readonly length: number;
  constructor(start: number, stop: number, step: number) {
    this.start = start;
    this.stop = stop;
    this.step = step;
    this.length = Math.max(0, Math.ceil((stop - start) / step));
  }
}

/** What Python makes a generator: can be gone through once, and has no length. */
export class Stream {
  readonly source: Iterator<Value>;
  constructor(source: Iterator<Value>) {
    this.source = source;
  }
}

/** The keys, values or items of a dict. */
export class View {
  readonly label: "dict_keys" | "dict_values" | "dict_items";
  readonly items: readonly Value[];
  constructor(label: View["label"], items: readonly Value[]) {
    this.label = label;
    this.items = items;
  }
}

/** The only value that a template can change. */
export class Namespace {
  readonly members: Map<string, Value>;
  constructor(members: Map<string, Value>) {
    this.members = members;
  }
}

/** Arguments of a call, a filter or a test. */
export interface Args {
  readonly positional: readonly Value[];
  readonly named: ReadonlyMap<string, Value>;
}

export interface EntityParts {
  readonly type: string;
  readonly print: () => string;
  readonly member?: (name: string) => Value | undefined;
  readonly call?: (args: Args) => Value;
}

/** A thing of the template language: a macro, a method, the loop, a module, a cycler. */
export class Entity {
  readonly type: string;
  readonly print: () => string;
  readonly member: (name: string) => Value | undefined;
  readonly call: ((args: Args) => Value) | null;
  constructor(parts: EntityParts) {
    this.type = parts.type;
    this.print = parts.print;
    this.member = parts.member ?? (() => undefined);
    this.call = parts.call ?? null;
  }
}

export const isList = (value: Value): value is readonly Value[] => Array.isArray(value);

/** The text of a string or markup, else null. */
export const textOf = (value: Value): string | null =>
  typeof value === "string" ? value : value instanceof Markup ? value.text : null;

/** A bool counts as the int it is in Python; null: no number. */
export const numberOf = (value: Value): bigint | number | null => {
  if (typeof value === "bigint" || typeof value === "number") return value;
  return typeof value === "boolean" ? (value ? 1n : 0n) : null;
};

const MAX_TUPLE = 100_000;

/** Things that are equal only to themselves get a number each. */
const identities = new WeakMap<object, number>();
let nextIdentity = 0;

const identityOf = (value: object): string => {
  let identity = identities.get(value);
  if (identity === undefined) {
    nextIdentity += 1;
    identity = nextIdentity;
    identities.set(value, identity);
  }
  return `#${identity}`;
};

/** Equal values have equal keys; null: it cannot be a key. */
export const hashKey = (value: Value): string | null => {
  if (typeof value === "string") return `s${value}`;
  if (value instanceof Markup) return `s${value.text}`;
  if (typeof value === "boolean") return value ? "i1" : "i0";
  if (typeof value === "bigint") return `i${value}`;
  if (typeof value === "number") return Number.isInteger(value) ? `i${BigInt(value)}` : `f${value}`;
  if (value === null) return "N";
  if (value instanceof Undefined) return "U";
  if (value instanceof Tuple) {
    let hash = "t";
    for (const item of value.items) {
      const key = hashKey(item);
      if (key === null) return null;
      hash += `${key.length}:${key}`;
      // Tuples may share their parts, and be far larger spelt out than in memory.
      if (hash.length > MAX_TUPLE) throw new TemplateError("limit", "a key of a dict is too large");
    }
    return hash;
  }
  return value instanceof Entity || value instanceof Namespace || value instanceof Stream ? identityOf(value) : null;
};

/** A Python dict: keys in the order of their coming, 1, 1.0 and True one key. Filled while it is made, never later. */
export class Dict {
  readonly #entries = new Map<string, [Value, Value]>();

  get size(): number {
    return this.#entries.size;
  }

  set(key: Value, value: Value): void {
    const hash = hashKey(key);
    if (hash === null) throw new TemplateError("runtime", "a list or a dict cannot be a key of a dict");
    const entry = this.#entries.get(hash);
    if (entry === undefined) this.#entries.set(hash, [key, value]);
    else entry[1] = value;
  }

  get(key: Value): Value | undefined {
    const hash = hashKey(key);
    return hash === null ? undefined : this.#entries.get(hash)?.[1];
  }

  has(key: Value): boolean {
    const hash = hashKey(key);
    if (hash === null) throw new TemplateError("runtime", "a list or a dict cannot be a key of a dict");
    return this.#entries.has(hash);
  }

  entries(): IterableIterator<[Value, Value]> {
    return this.#entries.values();
  }

  keys(): Value[] {
    return Array.from(this.#entries.values(), ([key]) => key);
  }

  values(): Value[] {
    return Array.from(this.#entries.values(), ([, value]) => value);
  }
}
