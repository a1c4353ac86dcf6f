/** Why a skill cannot be used now, and so is not matched; null: it can. Pure. */
import { oneLine } from "../prompt/one-line.ts";
import type { AgentSkill } from "./agent-skill.ts";

/** `running`: names of providers. A skill may name the bundle's package instead, so those names belong there too. */
export const whyUnavailable = (
  { requiresBundles }: Pick<AgentSkill, "requiresBundles">,
  running: ReadonlySet<string>,
): string | null => {
  const lacking = requiresBundles.filter((name) => !running.has(name));
  if (lacking.length === 0) return null;
  const [first = ""] = lacking;
  const names = oneLine(lacking.join(", "), 256);
  return lacking.length === 1
    ? `It needs the bundle ${names}, which is not running; start it with: bailiwick bundle start ${oneLine(first)}`
    : `It needs the bundles ${names}, which are not running; start them with: bailiwick bundle start <name>`;
};
