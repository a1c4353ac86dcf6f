/**
 * What was accepted of each package, on disk and in memory. A file that cannot be read accepts nothing: then every package is
 * held until a person says yes to it.
 */
import { readFile, stat } from "node:fs/promises";
import { definitionOf } from "../../kernel/definition-of.ts";
import { rawJson, type RawJson } from "../../kernel/raw-json.ts";
import { replaceFile } from "../../kernel/replace-file.ts";
import { isMapping } from "./shapes.ts";

export interface AcceptedPackage {
  readonly digest: string;
  /** As they were listed; by name. */
  readonly tools: ReadonlyMap<string, RawJson>;
}

const FORMAT = 1;
const MAX_BYTES = 64 * 1024 * 1024;
/** Packages that are gone are forgotten beyond this, the oldest yes first. */
const MAX_PACKAGES = 2_000;

export class PackagePins {
  readonly #file: string;
  readonly #accepted = new Map<string, AcceptedPackage>();
  /** Why nothing is taken without a person; null: what was accepted is known. */
  #defect: string | null = null;
  #incomplete = false;
  #writing: Promise<void> = Promise.resolve();

  constructor(file: string) {
    this.#file = file;
  }

  /** Before anything else. */
  async read(): Promise<void> {
    try {
      if ((await stat(this.#file)).size > MAX_BYTES) throw new Error("it is too large");
      this.#take(JSON.parse(await readFile(this.#file, "utf8")));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
      this.#accepted.clear();
      this.#incomplete = true;
      this.#defect = error instanceof Error ? error.message.slice(0, 200) : "it cannot be read";
    }
  }

  /** Why the file could not be read; null: it could. */
  get defect(): string | null {
    return this.#defect;
  }

  /** Nobody has ever looked at this package, and that it is the first of its name is known for sure. */
  isNew(name: string): boolean {
    return !this.#incomplete && !this.#accepted.has(name);
  }

  of(name: string): AcceptedPackage | null {
    return this.#accepted.get(name) ?? null;
  }

  /** In force when it is on disk. */
  accept(name: string, accepted: AcceptedPackage): Promise<void> {
    this.#writing = this.#writing
      .catch(() => {})
      .then(async () => {
        const next = new Map(this.#accepted);
        next.delete(name);
        next.set(name, accepted);
        for (const oldest of next.keys()) if (next.size > MAX_PACKAGES) next.delete(oldest);
        await replaceFile(this.#file, textOf(next, this.#incomplete));
        this.#accepted.clear();
        for (const [each, value] of next) this.#accepted.set(each, value);
      });
    return this.#writing;
  }

  #take(value: unknown): void {
    if (!isMapping(value) || value["format"] !== FORMAT) throw new TypeError("it is of no known format");
    if (!Array.isArray(value["packages"])) throw new TypeError("members are missing");
    this.#incomplete = value["incomplete"] !== false;
    for (const row of value["packages"]) {
      const [name, accepted] = toAccepted(row);
      this.#accepted.set(name, accepted);
    }
  }
}

const textOf = (accepted: ReadonlyMap<string, AcceptedPackage>, incomplete: boolean): string => {
  const packages = [...accepted].map(([name, { digest, tools }]) => ({
    name,
    digest,
    tools: [...tools].map(([tool, json]) => [tool, definitionOf(JSON.parse(json) as Record<string, unknown>), json]),
  }));
  return JSON.stringify({ format: FORMAT, incomplete, packages });
};

const toAccepted = (row: unknown): [string, AcceptedPackage] => {
  const { name, digest, tools } = isMapping(row) ? row : {};
  if (typeof name !== "string" || typeof digest !== "string" || !Array.isArray(tools)) {
    throw new TypeError("a package is not as it was written");
  }
  return [name, { digest, tools: new Map(tools.map(toTool)) }];
};

const toTool = (row: unknown): [string, RawJson] => {
  const [name, hash, json] = Array.isArray(row) ? (row as readonly unknown[]) : [];
  if (typeof name !== "string" || typeof json !== "string") throw new TypeError("a tool is not as it was written");
  const tool: unknown = JSON.parse(json);
  if (!isMapping(tool) || tool["name"] !== name || definitionOf(tool) !== hash) {
    throw new TypeError(`the definition of "${name.slice(0, 64)}" does not have the hash it was accepted with`);
  }
  return [name, rawJson(json)];
};
