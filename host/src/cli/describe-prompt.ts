/** What a model would get, for a person: by layer, each part with its source and size. Pure. */
import type { PromptPiece, PromptShown } from "../kernel/agent.ts";
import { skillLine } from "./chat-line.ts";
import { cutText } from "./cut-text.ts";
import { visibleProse } from "./prose.ts";
import type { Paint } from "./terminal.ts";
import { visibleText } from "./visible-text.ts";

const LAYERS = { 1: "identity", 2: "core context", 3: "installed apps", 4: "matched skill" } as const;
const DESCRIPTION = 100;

const TIERS: Readonly<Record<PromptShown["tier"], string>> = {
  skill: "those of the skill",
  all: "all that may be called",
  discovery: "the host's own alone; it finds the others by nb__discover_tools",
};

export const describePrompt = (shown: PromptShown, paint: Paint): string[] => [
  `${paint.dim("model")}   ${visibleText(shown.model)}`,
  `${paint.dim("skill")}   ${shown.skill === null ? "none" : skillLine(shown.skill).replace(/^skill /, "")}`,
  `${paint.dim("tokens")}  about ${shown.estimatedTokens}`,
  ...([1, 2, 3, 4] as const).flatMap((layer) => describeLayer(layer, shown, paint)),
  "",
  paint.bold(`Tools: ${shown.tools.length}, ${TIERS[shown.tier]}`),
  ...shown.tools.map(({ name, description }) => `  ${visibleText(name)}  ${paint.dim(firstLine(description))}`),
  "",
  paint.bold(`Earlier messages: ${describeHistory(shown.history)}`),
  "",
  paint.bold(`Message with its runtime context: ${shown.message.length} characters`),
  ...indent(shown.message),
];

const describeLayer = (layer: PromptPiece["layer"], { layers }: PromptShown, paint: Paint): string[] => {
  const pieces = layers.filter((piece) => piece.layer === layer);
  const size = pieces.reduce((sum, { chars }) => sum + chars, 0);
  return [
    "",
    paint.bold(`Layer ${layer}, ${LAYERS[layer]}: ${pieces.length === 0 ? "nothing" : `${size} characters`}`),
    ...pieces.flatMap((piece) => describePiece(piece, paint)),
  ];
};

const describePiece = ({ source, chars, text }: PromptPiece, paint: Paint): string[] => [
  paint.dim(`  from ${visibleText(source)}, ${chars} characters`),
  ...indent(text),
];

const describeHistory = ({ sent, leftOut }: PromptShown["history"]): string =>
  leftOut === 0 ? `${sent}` : `${sent}, and ${leftOut} left out because they are too long`;

const indent = (text: string): string[] =>
  visibleProse(text)
    .split("\n")
    .map((line) => `    ${line}`);

const firstLine = (text: string): string => visibleText(cutText(text.split(/[\r\n]/, 1)[0] ?? "", DESCRIPTION));
