/**
 * Stage 5. A tool may require environment capabilities; a call runs only if the host declares each of them.
 */
import { Refusal } from "../../kernel/refusal.ts";
import { advance, type Equipped, type Live } from "../../kernel/stages.ts";

const NONE: readonly string[] = Object.freeze([]);

/** The entries of `required`, in their order, that are not declared. Equality and nothing else. */
export const missingCapabilities = (required: readonly string[], declared: ReadonlySet<string>): string[] =>
  required.filter((capability) => capability !== "" && !declared.has(capability));

/** A tool's own `_meta.dcc.required_capabilities`; null when it is there and malformed. */
export const requiredCapabilities = (definition: Readonly<Record<string, unknown>>): readonly string[] | null => {
  const meta = definition["_meta"];
  if (typeof meta !== "object" || meta === null) return NONE;
  const dcc = (meta as Record<string, unknown>)["dcc"];
  if (dcc === undefined) return NONE;
  if (typeof dcc !== "object" || dcc === null) return null;
  const required = (dcc as Record<string, unknown>)["required_capabilities"] ?? NONE;
  return Array.isArray(required) && required.every((item) => typeof item === "string") ? required : null;
};

export const createEnvironment =
  (declared: ReadonlySet<string>) =>
  (call: Live): Equipped => {
    const { tool, flatName } = call.target;
    const required = tool ? requiredCapabilities(tool.value) : NONE;
    if (required === null) throw invalidDeclaration(flatName);
    const missing = required.length === 0 ? NONE : missingCapabilities(required, declared);
    if (missing.length > 0) throw missingRefusal(call, required, missing, [...declared]);
    return advance(call, { required });
  };

const invalidDeclaration = (flatName: string): Refusal =>
  new Refusal("suspended", {
    message: `${flatName} declares its required capabilities in a form that cannot be read.`,
    next: "Report it to the author: `_meta.dcc.required_capabilities` must be a list of strings.",
    details: { capability_id: flatName, lifecycle: "suspended", reason: "capability_declaration_invalid" },
  });

const missingRefusal = (
  call: Live,
  required: readonly string[],
  missing: readonly string[],
  declared: readonly string[],
): Refusal =>
  new Refusal("capability_missing", {
    message: `capability_missing: tool '${call.provider ? call.target.name : call.target.flatName}' requires ${missing.join(", ")}`,
    next: `Declare ${missing.join(", ")} for this host: bailiwick capabilities add ${missing.join(" ")}`,
    details: {
      tool: call.provider ? call.target.name : call.target.flatName,
      required,
      missing,
      declared,
      required_capabilities: required,
      missing_capabilities: missing,
      declared_capabilities: declared,
    },
  });
