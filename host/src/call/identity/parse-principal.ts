/** Reads the name of a principal in either spelling. */
import type { PrincipalKind } from "../../kernel/principal.ts";

const KINDS: ReadonlySet<string> = new Set(["person", "agent", "service", "bundle", "app"]);

/** By its beginning alone; what has none of them counts as a program. */
export const kindOf = (id: string): PrincipalKind => {
  const kind = id.slice(0, id.indexOf(":"));
  return KINDS.has(kind) ? (kind as PrincipalKind) : "agent";
};

/** Both spellings, `agent:x` and `agent://x`; null for anything else. `%` stands in names that a token brought. */
export const parsePrincipal = (text: string): { kind: PrincipalKind; id: string } | null => {
  const match = /^([a-z]+):(?:\/\/)?([A-Za-z0-9%][A-Za-z0-9._@%/-]{0,255})$/.exec(text);
  return match && KINDS.has(match[1]!) ? { kind: match[1] as PrincipalKind, id: `${match[1]}:${match[2]}` } : null;
};
