/** What an endpoint tells of itself: the host's text, then each provider's under its name; one provider's endpoint its own alone. */
import type { Page } from "./render-provider.ts";

const HOST_TEXT =
  "This endpoint joins several MCP servers. Tools and prompts are named provider__name. A tool that cannot run now is still " +
  'listed, with the reason in _meta["dev.bailiwick/lifecycle"]; every refusal names its next step. The resource ' +
  "capabilities:// says what this host can do.";
const MAX_INSTRUCTIONS = 2_000;

export const instructionsOf = (seen: readonly Page[], provider: string | null): string | null => {
  const texts = seen.flatMap((page) => {
    const text = page.catalogue.instructions?.slice(0, MAX_INSTRUCTIONS);
    if (!text) return [];
    return [provider === null ? `## ${page.provider.name}\n${text}` : text];
  });
  const all = provider === null ? [HOST_TEXT, ...texts] : texts;
  return all.length === 0 ? null : all.join("\n\n");
};
