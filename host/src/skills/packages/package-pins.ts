/**
 * What was accepted of each package, on disk and in memory. A file that cannot be read accepts nothing: then every package is
 * held until a person says yes to it.
 */
import { readFile, stat } from "node:fs/promises";
import { definitionOf } from "../../kernel/definition-of.ts";
import { HostError } from "../../kernel/host-error.ts";
import { rawJson, type RawJson } from "../../kernel/raw-json.ts";
import { replaceFile } from "../../kernel/replace-file.ts";
import { SKILL_LIMITS } from "../skill-limits.ts";
import { isMapping } from "./shapes.ts";

export interface AcceptedTool {
  /** As it was listed. */
  readonly json: RawJson;
  /** `toolDigest` of it. */
  readonly own: string;
}

export interface AcceptedPackage {
  readonly digest: string;
  /** By name. */
  readonly tools: ReadonlyMap<string, AcceptedTool>;
  /** Digests of its files, by path. */
  readonly files: ReadonlyMap<string, string>;
}

const FORMAT = 1;
const MAX_BYTES = 64 * 1024 * 1024;
/** Packages that are gone are forgotten beyond this, the oldest yes first. */
const MAX_PACKAGES = 2_000;

export class PackagePins {
  readonly #file: string;
  #accepted = new Map<string, AcceptedPackage>();
  /** Why nothing is taken without a person; null: what was accepted is known. */
  #defect: string | null = null;
  #incomplete = false;
  /** Those that are on disk now. */
  #here: ReadonlySet<string> = new Set();
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

  /** Packages that are on disk: what was accepted of them is not forgotten. */
  keep(names: Iterable<string>): void {
    this.#here = new Set(names);
  }

  /** In force when it is on disk. */
  accept(name: string, accepted: AcceptedPackage): Promise<void> {
    this.#writing = this.#writing.catch(() => {}).then(() => this.#write(name, accepted));
    return this.#writing;
  }

  async #write(name: string, accepted: AcceptedPackage): Promise<void> {
    const next = new Map(this.#accepted);
    next.delete(name);
    next.set(name, accepted);
    const isForgotten = forgetSome(next, this.#here);
    this.#incomplete ||= isForgotten;
    const text = textOf(next, this.#incomplete);
    // It could not be read again, and then nothing would be accepted.
    if (Buffer.byteLength(text) > MAX_BYTES)
      throw new HostError("what was accepted of all packages is too large to keep");
    await replaceFile(this.#file, text);
    this.#accepted = next;
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

/** True: one of them is there still, so that it will not be known whether anybody looked at it. */
const forgetSome = (accepted: Map<string, AcceptedPackage>, here: ReadonlySet<string>): boolean => {
  for (const name of accepted.keys()) if (accepted.size > MAX_PACKAGES && !here.has(name)) accepted.delete(name);
  const isLosing = accepted.size > MAX_PACKAGES;
  for (const name of accepted.keys()) if (accepted.size > MAX_PACKAGES) accepted.delete(name);
  return isLosing;
};

type Definition = Readonly<Record<string, unknown>>;

const textOf = (accepted: ReadonlyMap<string, AcceptedPackage>, incomplete: boolean): string => {
  const packages = [...accepted].map(([name, { digest, tools, files }]) => ({
    name,
    digest,
    tools: [...tools].map(([tool, { json, own }]) => [tool, definitionOf(JSON.parse(json) as Definition), json, own]),
    files: [...files],
  }));
  return JSON.stringify({ format: FORMAT, incomplete, packages });
};

const toAccepted = (row: unknown): [string, AcceptedPackage] => {
  const { name, digest, tools, files } = isMapping(row) ? row : {};
  if (typeof name !== "string" || typeof digest !== "string" || !Array.isArray(tools) || !Array.isArray(files)) {
    throw new TypeError("a package is not as it was written");
  }
  if (files.length > SKILL_LIMITS.files) throw new TypeError("a package has too many files");
  return [name, { digest, tools: new Map(tools.map(toTool)), files: new Map(files.map(toFile)) }];
};

const toFile = (row: unknown): [string, string] => {
  const [path, digest] = Array.isArray(row) ? (row as readonly unknown[]) : [];
  if (typeof path === "string" && typeof digest === "string") return [path, digest];
  throw new TypeError("a file is not as it was written");
};

const toTool = (row: unknown): [string, AcceptedTool] => {
  const [name, hash, json, own] = Array.isArray(row) ? (row as readonly unknown[]) : [];
  if (typeof name !== "string" || typeof json !== "string" || typeof own !== "string") {
    throw new TypeError("a tool is not as it was written");
  }
  const tool: unknown = JSON.parse(json);
  if (!isMapping(tool) || tool["name"] !== name || definitionOf(tool) !== hash) {
    throw new TypeError(`the definition of "${name.slice(0, 64)}" does not have the hash it was accepted with`);
  }
  return [name, { json: rawJson(json), own }];
};
