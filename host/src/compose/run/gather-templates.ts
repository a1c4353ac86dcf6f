/** The template that a config gives to `jinja2`, with all that it takes in by name, so that they are read once and as one. */
import { generationFailed } from "../generators/generation.ts";
import type { RootedFiles, Templates } from "../workbench.ts";
import { includedNames } from "./included-names.ts";
import { readIncluded } from "./read-included.ts";

const INLINE = /\{\{|\{%|\{#|\s/;
const MAX_FILES = 100;
const MAX_BYTES = 10_000_000;
const MAX_TOLD = 200;

type Files = Pick<RootedFiles, "read" | "template">;

/** `template`: as the config has it, a text or the name of a file. */
export const gatherTemplates = async (template: string, rooted: Files): Promise<Templates> => {
  const text = template === "" || INLINE.test(template) ? template : await rooted.template(template);
  if (text === null) {
    const name = template.slice(0, MAX_TOLD).toWellFormed();
    throw generationFailed(`Template not found: ${name}`, {
      template: name,
      next: `Put it at templates/${name} in the first root, or write the text itself into generation.patterns[0].template.`,
    });
  }
  return gather(text, rooted);
};

const gather = async (text: string, rooted: Files): Promise<Templates> => {
  const files = new Map<string, string>();
  const first = includedNames(text);
  const seen = new Set(first.names);
  let { isOpen } = first;
  let bytes = 0;
  // It grows while it is gone through.
  for (const name of seen) {
    if (seen.size > MAX_FILES) throw generationFailed(`The template includes more than ${MAX_FILES} templates`);
    const found = await readIncluded(name, rooted);
    // Whether that is a fault is seen when it is rendered: it may be one that need not be there.
    if (found === null) continue;
    bytes += Buffer.byteLength(found);
    if (bytes > MAX_BYTES)
      throw generationFailed(`What the template includes has more than ${MAX_BYTES} bytes together`);
    files.set(name, found);
    const inner = includedNames(found);
    for (const next of inner.names) seen.add(next);
    isOpen ||= inner.isOpen;
  }
  return { text, files, isOpen };
};
