/**
 * What one decision of policy costs, with many rules and with none but the shipped ones.
 */
import type { PolicyFinding } from "./findings.ts";
import { runProgram } from "./run-program.ts";

const RULES = 100;

export const measurePolicy = async (): Promise<PolicyFinding> => ({
  rules: RULES,
  microsPerDecision: await runProgram<number>("decide-calls", [String(RULES)]),
  microsUnconfigured: await runProgram<number>("decide-calls", ["0"]),
});
