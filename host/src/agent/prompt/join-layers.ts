/** Parts of a prompt as the text that is sent. Pure. */
import type { PromptPart } from "./prompt-layer.ts";

export interface Prompt {
  /** Layers 1 to 3. */
  readonly stable: string;
  /** Layer 4 with the separator before it, so that `stable` and this one after the other are the prompt; empty: none. */
  readonly varying: string;
  readonly layers: readonly PromptPart[];
}

type Layer = readonly PromptPart[];

const BETWEEN_LAYERS = "\n\n---\n\n";
const BETWEEN_PARTS = "\n\n";

/** A layer without parts is left out. */
export const joinLayers = (stable: readonly Layer[], varying: Layer): Prompt => ({
  stable: stable
    .filter((layer) => layer.length > 0)
    .map(textOf)
    .join(BETWEEN_LAYERS),
  varying: varying.length === 0 ? "" : `${BETWEEN_LAYERS}${textOf(varying)}`,
  layers: [...stable.flat(), ...varying],
});

const textOf = (layer: Layer): string => layer.map(({ text }) => text).join(BETWEEN_PARTS);
