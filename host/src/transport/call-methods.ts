/** The methods that take the one call path, in both eras. */
import type { Operation } from "../kernel/call.ts";
import type { Feature } from "./describe-host.ts";

export interface CallMethod {
  readonly operation: Operation;
  readonly feature: Feature;
}

export const CALL_METHODS: ReadonlyMap<string, CallMethod> = new Map([
  ["tools/call", { operation: "call", feature: "tools" }],
  ["resources/read", { operation: "read", feature: "resources" }],
  ["prompts/get", { operation: "prompt", feature: "prompts" }],
  ["skills/get", { operation: "skill", feature: "skills" }],
  ["resources/directory/read", { operation: "directory", feature: "directories" }],
  ["completion/complete", { operation: "complete", feature: "completions" }],
]);
