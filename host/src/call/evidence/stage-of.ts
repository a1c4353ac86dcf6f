/** At which stage a call stopped: the first whose fact is missing. */
import type { Stopped } from "../../kernel/stages.ts";

const FACTS = [
  [2, "principal"],
  [3, "target"],
  [4, "lifecycle"],
  [5, "required"],
  [6, "verdict"],
  [7, "canonicalArgs"],
  [8, "approval"],
  [9, "invocation"],
  [10, "ending"],
  [11, "outcome"],
] as const satisfies readonly (readonly [number, keyof Stopped])[];

export const stageOf = (call: Stopped): number => FACTS.find(([, fact]) => call[fact] === undefined)?.[0] ?? 12;
