/** Layer 2: the context skills in the order they are given, then the catalogue of skills that the model may read. Pure. */
import { contain } from "./contain.ts";
import { neutraliseTags } from "./neutralise-tags.ts";
import { oneLine } from "./one-line.ts";
import type { CatalogueEntry, PromptPart, PromptSkill } from "./prompt-layer.ts";
import { safeText } from "./safe-text.ts";

const HEADING =
  "Skills that you can read with skills__read when the work calls for one. Reading one changes nothing about what you may call:";
const MAX_DESCRIPTION = 1_024;

export const contextLayer = (
  context: readonly PromptSkill[],
  catalogue: readonly CatalogueEntry[],
): readonly PromptPart[] => [
  ...context
    .filter(({ body }) => body.trim() !== "")
    .map((skill) => ({ layer: 2, source: skillSource(skill), text: skillText(skill) }) as const),
  ...(catalogue.length === 0
    ? []
    : [{ layer: 2, source: "skill catalogue", text: `${HEADING}\n${catalogue.map(entryText).join("\n")}` } as const]),
];

export const skillSource = ({ name, server, path }: PromptSkill): string =>
  `skill ${oneLine(name)}${server === null ? "" : ` of ${oneLine(server)}`}${path === null ? "" : ` (${path})`}`;

export const skillText = ({ name, body, server }: PromptSkill): string =>
  server === null ? safeText(body) : contain("server-skill", safeText(body), { name: `${server}: ${name}` });

const entryText = ({ name, description, server, missing }: CatalogueEntry): string => {
  const lacks = missing.length === 0 ? "" : ` (missing here: ${oneLine(missing.join(", "))})`;
  const said = oneLine(description, MAX_DESCRIPTION);
  if (server === null) return neutraliseTags(`- ${oneLine(name)}${lacks}${said === "" ? "" : `: ${said}`}`);
  const line = neutraliseTags(`- ${oneLine(name)}${lacks}, from ${oneLine(server)}`);
  return said === "" ? line : `${line}\n${contain("server-skill", said)}`;
};
