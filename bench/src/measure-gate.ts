/** What the gate of environment capabilities costs a call, of a tool that requires some and of one that requires none. */
import type { GateFinding } from "./findings.ts";
import { runProgram } from "./run-program.ts";

const REQUIRED = 5;

export const measureGate = async (): Promise<GateFinding> => ({
  required: REQUIRED,
  microsRequiring: await runProgram<number>("pass-gate", [String(REQUIRED)]),
  microsPlain: await runProgram<number>("pass-gate", ["0"]),
});
