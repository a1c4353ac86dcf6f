/** What a held definition changes, for the person who is to accept it. Pure. */
import type { HeldDefinition } from "../kernel/bundle-admin.ts";
import { lineDiff } from "./line-diff.ts";
import type { Paint } from "./terminal.ts";
import { visibleText } from "./visible-text.ts";

const COLOURS = { "-": "red", "+": "green", " ": "dim" } as const;

export const describeHeld = (bundle: string, held: HeldDefinition, paint: Paint): string[] => {
  const name = held.tool === null ? `${bundle}: its instructions` : `${bundle}: ${held.tool}`;
  const what = held.reason === "definition_new" ? "new" : "changed";
  const lines = lineDiff(held.before === null ? "" : textOf(held.before), textOf(held.after));
  // Without anything before, the one empty line that went says nothing.
  const shown = held.before === null ? lines.filter(({ sign }) => sign === "+") : lines;
  return [
    paint.bold(`${name} (${what})`),
    `  accepted ${held.accepted ?? "never"}`,
    `  offered  ${held.offered}`,
    ...shown.map(({ sign, text }) => `  ${paint[COLOURS[sign]](`${sign} ${text}`)}`),
  ];
};

/** One line for each line of a text inside, since descriptions are what people must read. */
const textOf = (definition: Readonly<Record<string, unknown>>): string =>
  JSON.stringify(definition, null, 2)
    .replaceAll(/(?<!\\)((?:\\\\)*)\\n/g, "$1\\n\n      │ ")
    .split("\n")
    .map(visibleText)
    .join("\n");
