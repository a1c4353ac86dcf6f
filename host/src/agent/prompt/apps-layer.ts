/** Layer 3: the installed bundles, a line each, and below it what they say of themselves. Pure. */
import { contain } from "./contain.ts";
import { neutraliseTags, type Tag } from "./neutralise-tags.ts";
import { cutText, oneLine } from "./one-line.ts";
import type { PromptApp, PromptPart } from "./prompt-layer.ts";
import { safeText } from "./safe-text.ts";

const MAX_TEXT = 2_000;
const NONE = "Installed apps: none.";
const HEADING = "Installed apps:";
export const DISCOVERY =
  "The tools of these apps are not listed here. Search for what you need with nb__discover_tools: the tools it finds are " +
  "listed from your next step on, and you can call them by the names it gives.";

/** `discovery`: only the host's own tools are listed, because the others are too many. */
export const appsLayer = (apps: readonly PromptApp[], discovery: boolean): readonly PromptPart[] => [
  { layer: 3, source: "host", text: apps.length === 0 ? NONE : HEADING },
  ...apps
    .toSorted((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
    .map((app) => ({ layer: 3, source: `bundle ${oneLine(app.name)}`, text: appText(app) }) as const),
  ...(discovery ? [{ layer: 3, source: "host", text: DISCOVERY } as const] : []),
];

const appText = ({ name, ui, trustScore, description, instructions }: PromptApp): string => {
  const shown = ui === null ? "no UI" : `has UI: ${oneLine(ui)}`;
  const line = neutraliseTags(`- ${oneLine(name)} (${shown}) — MTF Score: ${trustScore ?? "none"}`);
  return [line, ...told("app-info", name, description), ...told("app-instructions", name, instructions)].join("\n");
};

const told = (tag: Tag, name: string, text: string | null): readonly string[] => {
  const said = cutText((text ?? "").slice(0, MAX_TEXT * 4).trim(), MAX_TEXT);
  return said === "" ? [] : [contain(tag, safeText(said), { name })];
};
