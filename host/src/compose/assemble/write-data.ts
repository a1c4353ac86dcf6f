/** A plain value as the text of a file. What would become too large is known before any of it is written. */
import { ComposeError } from "../compose-error.ts";
import { tooLargeAlready } from "../generators/generation.ts";
import { isMembers } from "./deep-merge.ts";

export interface DataFile {
  readonly format: "json" | "yaml";
  readonly maxBytes: number;
}

/** Its writer makes an object of each value. */
const MAX_YAML_VALUES = 500_000;
/** The writer of YAML gives each line of a text that is this long a line of its own. */
const LONG = 100;

/** ComposeError `content_too_large`, `assembly_failed`. It may still be somewhat larger than it may. */
export const writeData = async (value: unknown, file: DataFile): Promise<string> => {
  new Measure(file).walk(value, 0);
  if (file.format === "json") return `${JSON.stringify(value, null, 2)}\n`;
  const { stringify } = await import("yaml");
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false });
};

/** The least that the text can have: every value stands in a line of its own, two columns further in at each level. */
class Measure {
  readonly #isYaml: boolean;
  readonly #maxBytes: number;
  #bytes = 0;
  #values = 0;

  constructor({ format, maxBytes }: DataFile) {
    this.#isYaml = format === "yaml";
    this.#maxBytes = maxBytes;
  }

  walk(value: unknown, depth: number): void {
    if (this.#isYaml && ++this.#values > MAX_YAML_VALUES) throw tooManyValues();
    if (Array.isArray(value)) for (const item of value) this.#entry(item, 0, depth);
    else if (isMembers(value))
      for (const [key, member] of Object.entries(value)) this.#entry(member, key.length + 2, depth);
  }

  #entry(value: unknown, keyLength: number, depth: number): void {
    const isNested = typeof value === "object" && value !== null;
    // A list or an object begins in the line of the list that it stands in.
    const isInLine = this.#isYaml && isNested && keyLength === 0;
    if (!isInLine) this.#bytes += 2 * depth + keyLength + 1 + (isNested ? 1 : this.#lengthOf(value, depth));
    if (this.#bytes > this.#maxBytes) throw tooLargeAlready(this.#bytes, this.#maxBytes);
    if (isNested) this.walk(value, depth + 1);
  }

  #lengthOf(value: unknown, depth: number): number {
    if (typeof value !== "string") return 1;
    if (!this.#isYaml || value.length < LONG) return value.length;
    let lines = 0;
    for (let at = value.indexOf("\n"); at !== -1; at = value.indexOf("\n", at + 1))
      if (value.charCodeAt(at + 1) > 32) lines++;
    return value.length + lines * 2 * depth;
  }
}

const tooManyValues = (): ComposeError =>
  new ComposeError("assembly_failed", `The texts together have more than ${MAX_YAML_VALUES} values to be YAML.`, {
    limit: MAX_YAML_VALUES,
    next: "Set the format of the output to json, or assemble fewer contents.",
  });
