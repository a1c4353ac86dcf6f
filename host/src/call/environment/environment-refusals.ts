/** The "no" of stage 5. */
import type { Requirements } from "../../kernel/environment.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { shellWord } from "../../kernel/shell-word.ts";

export const invalidDeclaration = (flatName: string): Refusal =>
  new Refusal("suspended", {
    message: `${flatName} declares its required capabilities in a form that cannot be read.`,
    next: "Report it to the author: `_meta.dcc.required_capabilities` must be a list of strings.",
    details: { capability_id: flatName, lifecycle: "suspended", reason: "capability_declaration_invalid" },
  });

/** `tool`: as the endpoint lists it. Both spellings of each list are in use. */
export const missingRefusal = (
  tool: string,
  { required, missing }: Requirements,
  declared: readonly string[],
): Refusal => {
  const names = [...new Set(missing)];
  const next = `Declare ${names.join(", ")} for this host: bailiwick capabilities add ${names.map(shellWord).join(" ")}`;
  return new Refusal("capability_missing", {
    message: `capability_missing: tool '${tool}' requires ${missing.join(", ")}`,
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
