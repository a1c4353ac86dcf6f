/** What may be shown of what a script wrote when it is no answer: how the host's own way of running one ends. */
import type { ScriptEnd } from "./script.ts";

export interface ShownScriptEnd extends ScriptEnd {
  /** The first 2,000 characters of stdout, redacted. */
  readonly opening: string;
}

/** Nothing, where whoever ran the script knows no secrets to take out. */
export const openingOf = (end: ScriptEnd): string => (end as Partial<ShownScriptEnd>).opening ?? "";
