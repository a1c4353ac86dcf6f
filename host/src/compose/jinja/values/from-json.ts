/** Takes the caller's JSON over into values of the template. Own properties only; what is no JSON is left out. */
import type { Budget } from "./budget.ts";
import { TemplateError } from "../template-error.ts";
import { Dict, type Value } from "./values.ts";

const MAX_DEPTH = 200;

/** A number without a fraction is an int, as nearly all of them are: JSON.parse does not tell 1 from 1.0. */
const fromNumber = (value: number): Value => (Number.isSafeInteger(value) ? BigInt(value) : value);

export const fromJson = (json: unknown, budget: Budget): Value | undefined => {
  // What is there twice is taken over once: a small graph of shared objects would be a large tree.
  const seen = new Map<object, Value>();
  const take = (value: unknown, depth: number): Value | undefined => {
    if (value === null || typeof value === "string" || typeof value === "boolean" || typeof value === "bigint")
      return value;
    if (typeof value === "number") return fromNumber(value);
    if (typeof value !== "object") return undefined;
    if (depth > MAX_DEPTH) throw new TemplateError("limit", `the context is nested more than ${MAX_DEPTH} levels deep`);
    const known = seen.get(value);
    if (known !== undefined) return known;
    budget.spend(0.1);
    const taken = Array.isArray(value) ? takeList(value, depth) : takeDict(value, depth);
    seen.set(value, taken);
    return taken;
  };
  const takeList = (value: readonly unknown[], depth: number): Value =>
    value.map((item) => take(item, depth + 1) ?? null);
  const takeDict = (value: object, depth: number): Value => {
    const dict = new Dict();
    for (const [key, member] of Object.entries(value)) {
      const taken = take(member, depth + 1);
      if (taken !== undefined) dict.set(key, taken);
    }
    return dict;
  };
  return take(json, 0);
};
