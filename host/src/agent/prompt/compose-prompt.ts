/**
 * The system prompt of a run, in four layers. The first three depend on the configuration, the skills on disk, the installed
 * bundles and the tier of tools alone, so that they are the same bytes from call to call; the fourth is about one message.
 * What changes from moment to moment has no place here: see `runtimeContext`. Pure.
 */
import { appsLayer } from "./apps-layer.ts";
import { contextLayer, skillSource, skillText } from "./context-layer.ts";
import { identityLayer } from "./identity-layer.ts";
import { joinLayers, type Prompt } from "./join-layers.ts";
import type { CatalogueEntry, PromptApp, PromptPart, PromptSkill } from "./prompt-layer.ts";

export interface PromptOptions {
  readonly identity: string | null;
  /** In the order in which they are to stand. */
  readonly context: readonly PromptSkill[];
  readonly catalogue: readonly CatalogueEntry[];
  readonly apps: readonly PromptApp[];
  /** The tools of bundles are too many to be listed; the row of the direct list says so. */
  readonly discovery: boolean;
  /** The skill of this message. */
  readonly matched: PromptSkill | null;
}

export const composePrompt = (options: PromptOptions): Prompt => {
  const { identity, context, catalogue, apps, discovery, matched } = options;
  const stable = [identityLayer(identity), contextLayer(context, catalogue), appsLayer(apps, discovery)];
  return joinLayers(stable, matchedLayer(matched));
};

const matchedLayer = (matched: PromptSkill | null): readonly PromptPart[] =>
  matched === null || matched.body.trim() === ""
    ? []
    : [{ layer: 4, source: skillSource(matched), text: skillText(matched) }];
