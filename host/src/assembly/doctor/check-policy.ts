/** Whether every rule and every entry of `policy.capabilities` can be used; what cannot denies all that it could be about. */
import type { Config } from "@bailiwick/contract";
import { createPolicyBook } from "../../call/policy/policy-book.ts";
import { DEFAULT_WORKSPACE } from "../../kernel/workspace.ts";
import { fail, ok, warn, type Check } from "./check.ts";

export const checkPolicy = (policy: Config["policy"]): readonly Check[] => {
  const { mode, rules, diagnostics } = createPolicyBook({ host: policy }).report(DEFAULT_WORKSPACE);
  const found = diagnostics.map(({ severity, where, message }) =>
    (severity === "error" ? fail : warn)("policy", `${where}: ${message}`, "Correct it, then: bailiwick policy check"),
  );
  if (mode === "audit") {
    const message = "the policy is in audit mode: what it denies is recorded and runs all the same";
    found.push(warn("policy", message, 'Set policy.mode to "enforce" once the records show that nothing is missing.'));
  }
  return found.length > 0 ? found : [ok("policy", `${rules.length} rules, all of them usable`)];
};
