/** The "no" of stage 5. */
import { declareCommand, nameSome } from "../../kernel/declare-command.ts";
import type { Requirements } from "../../kernel/environment.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { UNREADABLE_DECLARATION } from "../../kernel/suspension.ts";

export const invalidDeclaration = (flatName: string): Refusal =>
  new Refusal("suspended", {
    message: `${flatName} declares its required capabilities in a form that cannot be read.`,
    next: UNREADABLE_DECLARATION.next,
    details: { capability_id: flatName, lifecycle: "suspended", reason: UNREADABLE_DECLARATION.reason },
  });

/** `tool`: as the endpoint lists it. Both spellings of each list are in use. */
export const missingRefusal = (
  tool: string,
  { required, missing }: Requirements,
  declared: readonly string[],
): Refusal => {
  const next = `Declare ${nameSome([...new Set(missing)])} for this host: ${declareCommand(missing)}`;
  return new Refusal("capability_missing", {
    message: `capability_missing: tool '${tool}' requires ${nameSome(missing)}`,
    next,
    details: {
      tool,
      required,
      missing,
      declared,
      required_capabilities: required,
      missing_capabilities: missing,
      declared_capabilities: declared,
      remedy: next,
    },
  });
};
