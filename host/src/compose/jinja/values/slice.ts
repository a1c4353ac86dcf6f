/** Python's slices: which indexes `[start:stop:step]` takes of that many items. */
import { TemplateError } from "../template-error.ts";
import { numberOf, Undefined, type Value } from "./values.ts";

export interface SliceParts {
  readonly start: Value;
  readonly stop: Value;
  readonly step: Value;
}

/** None and what is left out are no bound. */
const bound = (value: Value): number | null => {
  if (value === null) return null;
  if (value instanceof Undefined) throw new TemplateError("undefined", value.reason);
  const index = numberOf(value);
  if (typeof index !== "bigint") throw new TemplateError("runtime", "slice indices must be integers or None");
  return Number(index);
};

const clamp = (index: number, low: number, high: number): number => Math.min(Math.max(index, low), high);

export interface SliceBounds {
  readonly start: number;
  readonly stop: number;
  readonly step: number;
}

export const sliceBounds = (parts: SliceParts, length: number): SliceBounds => {
  const step = bound(parts.step) ?? 1;
  if (step === 0) throw new TemplateError("runtime", "slice step cannot be zero");
  const from = bound(parts.start);
  const to = bound(parts.stop);
  const low = step > 0 ? 0 : -1;
  const high = step > 0 ? length : length - 1;
  const place = (index: number): number => clamp(index < 0 ? index + length : index, low, high);
  const start = from === null ? (step > 0 ? low : high) : place(from);
  const stop = to === null ? (step > 0 ? high : low) : place(to);
  return { start, stop, step };
};

export function* sliceIndexes(parts: SliceParts, length: number): Generator<number> {
  const { start, stop, step } = sliceBounds(parts, length);
  for (let at = start; step > 0 ? at < stop : at > stop; at += step) yield at;
}
