/**
 * Those of the held definitions to which somebody says yes. Who has looked at them says so: what the server has changed
 * since then is not what the yes was for.
 */
import type { Acceptance, HeldDefinition } from "../../kernel/bundle-admin.ts";
import { Refusal } from "../../kernel/refusal.ts";

export const chooseHeld = (
  provider: string,
  held: readonly HeldDefinition[],
  { tools, offered }: Acceptance,
): readonly HeldDefinition[] => {
  const chosen = tools === null ? held : named(provider, held, new Set(tools));
  // A hash is of the name too, so that it stands for one tool alone.
  const changed = chosen.find((each) => !offered.includes(each.offered));
  if (changed === undefined) return chosen;
  throw new Refusal("stale_surface", {
    message: `${provider} changed ${changed.tool?.slice(0, 64) ?? "its instructions"} once more; nothing was accepted.`,
    next: `Look again: bailiwick bundle accept ${provider}`,
  });
};

const named = (
  provider: string,
  held: readonly HeldDefinition[],
  tools: ReadonlySet<string>,
): readonly HeldDefinition[] => {
  for (const tool of tools) {
    if (held.some((each) => each.tool === tool)) continue;
    throw new Refusal("not_found", {
      message: `Nothing of ${provider} is held under the name "${tool.slice(0, 64)}".`,
      next: `See what is held: bailiwick bundle inspect ${provider}`,
    });
  }
  return held.filter(({ tool }) => tool !== null && tools.has(tool));
};
