/**
 * The last known catalogue of one provider on disk, so that lists answer at once after a boot, before any process runs.
 * Entries are stored as the text they came in. A file that is not what it should be counts as none.
 */
import { createHash } from "node:crypto";
import { readFile, rm, stat } from "node:fs/promises";
import type { Catalogue } from "../kernel/provider.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { replaceFile } from "../kernel/replace-file.ts";
import { isObject } from "./shapes.ts";
import { withoutResources } from "./without-resources.ts";

const FORMAT = 1;
const MAX_BYTES = 64 * 1024 * 1024;

export interface KnownDefinitions {
  readonly catalogue: Catalogue;
  readonly version: string | null;
}

export interface DefinitionsFileOptions {
  readonly file: string;
  /** What identifies the entry: its absolute path or its URL. Definitions of another source are not used. */
  readonly source: string;
  /** True: each principal sees resources of its own, so nobody's are kept. */
  readonly isolated?: boolean;
}

export class DefinitionsFile {
  readonly #file: string;
  readonly #source: string;
  readonly #isolated: boolean;
  #known: KnownDefinitions | null = null;
  #asks = false;
  #written = "";
  #writing: Promise<void> = Promise.resolve();

  constructor(options: DefinitionsFileOptions) {
    this.#file = options.file;
    this.#isolated = options.isolated ?? false;
    // Hashed: a URL may hold what nobody should find in a second file.
    this.#source = createHash("sha256").update(options.source).digest("hex");
  }

  async read(): Promise<KnownDefinitions | null> {
    try {
      if ((await stat(this.#file)).size > MAX_BYTES) return null;
      const text = await readFile(this.#file, "utf8");
      const value: unknown = JSON.parse(text);
      const read = parse(value, this.#source);
      if (read === null) return null;
      const known = this.#keepable(read);
      this.#known = known;
      this.#asks ||= (value as Record<string, unknown>)["asks"] === true;
      this.#written = text;
      return known;
    } catch {
      return null;
    }
  }

  /** Resolves when what was to be written is, or could not be. */
  settled(): Promise<void> {
    return this.#writing.catch(() => {});
  }

  async forget(): Promise<void> {
    await this.settled();
    await rm(this.#file, { force: true });
  }

  /** True: it has asked while calls of several callers ran, so that its calls run one at a time. */
  get asks(): boolean {
    return this.#asks;
  }

  /** From now on `asks`, also after the next boot. */
  markAsks(): Promise<void> {
    this.#asks = true;
    return this.#known === null ? this.#writing : this.save(this.#known);
  }

  /** Writes when something differs; one after the other, each atomically. */
  save(given: KnownDefinitions): Promise<void> {
    const known = this.#keepable(given);
    this.#known = known;
    const text = write(known, this.#source, this.#asks);
    if (text === this.#written || text.length > MAX_BYTES) return this.#writing;
    this.#written = text;
    this.#writing = this.#writing.catch(() => {}).then(() => replaceFile(this.#file, text));
    return this.#writing;
  }

  #keepable(known: KnownDefinitions): KnownDefinitions {
    return this.#isolated ? { ...known, catalogue: withoutResources(known.catalogue) } : known;
  }
}

const write = ({ catalogue, version }: KnownDefinitions, source: string, asks: boolean): string =>
  JSON.stringify({
    format: FORMAT,
    source,
    version,
    asks,
    tools: catalogue.tools.map((tool) => [tool.name, tool.definition, tool.json]),
    prompts: catalogue.prompts.map((prompt) => [prompt.name, prompt.json]),
    resources: catalogue.resources.map((resource) => [resource.uri, resource.json]),
    templates: catalogue.templates.map((template) => [template.uriTemplate, template.json]),
    skills: catalogue.skills?.map((skill) => [skill.uri, skill.json]),
    directories: catalogue.directories,
    instructions: catalogue.instructions,
    completions: catalogue.completions,
    defects: catalogue.defects,
  });

const parse = (value: unknown, source: string): KnownDefinitions | null => {
  if (!isObject(value) || value["format"] !== FORMAT || value["source"] !== source) return null;
  const catalogue: Catalogue = {
    tools: rows(value["tools"], 3).map(([name = "", definition = "", json = ""]) => {
      return { name, definition, json: rawJson(json), value: entryOf(json) };
    }),
    prompts: rows(value["prompts"], 2).map(([name = "", json = ""]) => {
      return { name, json: rawJson(json), value: entryOf(json) };
    }),
    resources: rows(value["resources"], 2).map(([uri = "", json = ""]) => {
      return { uri, json: rawJson(json), value: entryOf(json) };
    }),
    templates: rows(value["templates"], 2).map(([uriTemplate = "", json = ""]) => {
      return { uriTemplate, json: rawJson(json), value: entryOf(json) };
    }),
    skills:
      value["skills"] === undefined
        ? null
        : rows(value["skills"], 2).map(([uri = "", json = ""]) => {
            return { uri, json: rawJson(json), value: entryOf(json) };
          }),
    directories: value["directories"] === true,
    instructions: typeof value["instructions"] === "string" ? value["instructions"] : null,
    completions: value["completions"] === true,
    defects: Array.isArray(value["defects"]) ? value["defects"].filter((each) => typeof each === "string") : [],
  };
  return { catalogue, version: typeof value["version"] === "string" ? value["version"] : null };
};

/** Throws on anything else, which `read` takes for no file. */
const rows = (value: unknown, width: number): string[][] => {
  if (!Array.isArray(value)) throw new TypeError("not a list");
  return value.map((row: unknown) => {
    if (!Array.isArray(row) || row.length !== width || !row.every((each) => typeof each === "string")) {
      throw new TypeError("not a row");
    }
    return row;
  });
};

const entryOf = (json: string): Record<string, unknown> => {
  const value: unknown = JSON.parse(json);
  if (!isObject(value)) throw new TypeError("not an entry");
  return value;
};
