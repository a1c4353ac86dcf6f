/**
 * What of a foreign configuration is a setting of the agent and comes along. What is about that host itself (its listeners,
 * policy, members) stays behind, and a setting that is made here already is left as it is. Pure.
 */
import { isDeepStrictEqual } from "node:util";
import { dirname } from "node:path";
import type { ForeignConfig, ImportPlace, ImportStep } from "./import-step.ts";
import { type PlainSetting, plainModel, plainProviders } from "./import-providers.ts";
import { ImportVariables } from "./import-variables.ts";
import { resolvePath } from "./resolve-path.ts";

const EVERYWHERE: ReadonlySet<string> = new Set(["agents", "identity", "noDefaultBundles", "skillDirs"]);
const HOST_ONLY: ReadonlySet<string> = new Set([
  "defaultModel",
  "maxDirectTools",
  "maxInputTokens",
  "maxIterations",
  "maxOutputTokens",
  "model",
  "providers",
]);
/** Read elsewhere, or without any meaning of its own. */
const QUIET: ReadonlySet<string> = new Set(["$schema", "version", "bundles", "models"]);

type Json = Readonly<Record<string, unknown>>;

export interface SettingTerms {
  readonly place: ImportPlace;
  readonly isDefault: boolean;
  readonly variables: ImportVariables;
}

export class ImportSettings {
  readonly steps: ImportStep[] = [];
  readonly values: Record<string, unknown> = {};
  readonly #terms: SettingTerms;

  constructor(terms: SettingTerms) {
    this.#terms = terms;
  }

  config(config: ForeignConfig): void {
    const { models } = config.value;
    const model = typeof models === "object" && models !== null ? (models as Json)["default"] : undefined;
    const value = model === undefined ? config.value : { defaultModel: model, ...config.value };
    for (const [key, given] of Object.entries(value)) {
      if (QUIET.has(key)) continue;
      if (!EVERYWHERE.has(key) && !HOST_ONLY.has(key)) this.#skip(key, "it is about that host, and is left there");
      else if (HOST_ONLY.has(key) && !this.#terms.isDefault)
        this.#skip(key, "it is a setting of the host, not of a workspace");
      else if (Array.isArray(given) && key === "skillDirs") this.#dirs(given, config);
      else this.#set(key, given);
    }
  }

  #set(key: string, given: unknown): void {
    const now = this.#terms.place.value[key] ?? this.values[key];
    if (now === undefined) {
      const { value, notes } = plain(key, given, this.#terms.variables);
      this.#add(key, value, notes);
    } else if (isSame(key, now, given)) this.#there(key);
    else this.#skip(key, "another value is set here already; change it by hand if the other is wanted");
  }

  #there(key: string): void {
    this.steps.push({ kind: "setting", from: key, to: key, action: "there", notes: [] });
  }

  #add(key: string, value: unknown, notes: readonly string[]): void {
    this.values[key] = value;
    this.steps.push({ kind: "setting", from: key, to: key, action: "add", notes });
  }

  /** Behind those that there are. */
  #dirs(given: readonly unknown[], { file }: ForeignConfig): void {
    const { place } = this.#terms;
    const now = Array.isArray(place.value["skillDirs"]) ? (place.value["skillDirs"] as unknown[]) : [];
    const absolute = (dirs: readonly unknown[], baseDir: string): string[] =>
      dirs.filter((dir) => typeof dir === "string").map((dir) => resolvePath(dir, { baseDir, home: place.home }));
    const known = new Set(absolute(now, place.baseDir));
    const added = absolute(given, dirname(file)).filter((dir) => !known.has(dir));
    if (added.length > 0) this.#add("skillDirs", [...now, ...added], [`adds ${added.join(", ")}`]);
    else this.#there("skillDirs");
  }

  #skip(key: string, reason: string): void {
    this.steps.push({ kind: "setting", from: key, to: null, action: "skip", notes: [reason] });
  }
}

const plain = (key: string, given: unknown, variables: ImportVariables): PlainSetting => {
  if (key === "providers") return plainProviders(given, variables);
  return key === "model" ? plainModel(given) : { value: given, notes: [] };
};

/** A secret is a reference here and is none there. */
const isSame = (key: string, now: unknown, given: unknown): boolean => {
  const bare = (value: unknown): unknown => withoutReferences(plain(key, value, new ImportVariables({})).value);
  return isDeepStrictEqual(bare(now), bare(given));
};

const withoutReferences = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value ?? null, (_, each: unknown) => (isReference(each) ? undefined : each))) as unknown;

const isReference = (value: unknown): boolean => typeof value === "string" && value.includes("${env:");
