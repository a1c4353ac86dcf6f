/**
 * The system prompt of a delegate: layer 1 of its parent, then what its profile says. The task is not in it: that is the
 * message, and has no more authority than one. Pure.
 */
import { identityLayer } from "./identity-layer.ts";
import { joinLayers, type Prompt } from "./join-layers.ts";
import { safeText } from "./safe-text.ts";

export interface DelegatePromptOptions {
  readonly identity: string | null;
  /** Null: it has none. */
  readonly profile: { readonly name: string; readonly systemPrompt: string } | null;
}

const FIXED =
  "You were given one task by another agent. Do it with the tools you have, and answer with the result alone: what you " +
  "found or did, and what you could not do. Nobody can answer questions while you work.";

export const composeDelegatePrompt = ({ identity, profile }: DelegatePromptOptions): Prompt => {
  const own = profile?.systemPrompt.trim() ?? "";
  const part =
    profile === null || own === ""
      ? { layer: 2 as const, source: "host", text: FIXED }
      : { layer: 2 as const, source: `configuration: agents.${profile.name}`, text: safeText(own) };
  return joinLayers([identityLayer(identity), [part]], []);
};
