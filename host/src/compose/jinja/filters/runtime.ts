/** What filters and tests see of the rendering that they work for. */
import type { Budget } from "../values/budget.ts";
import type { Args, Value } from "../values/values.ts";

export interface Runtime {
  readonly budget: Budget;
  filter(name: string, value: Value, args: Args): Value;
  test(name: string, value: Value, args: Args): boolean;
  knows(kind: "filter" | "test", name: string): boolean;
}
