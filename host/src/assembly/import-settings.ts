/**
 * What of a foreign configuration is a setting of the agent and comes along. What is about that host itself (its listeners,
 * policy, members) stays behind, and a setting that is made here already is left as it is. Pure.
 */
import { isDeepStrictEqual } from "node:util";
import { dirname } from "node:path";
import type { ForeignConfig, ImportPlace, ImportStep } from "./import-step.ts";
import { type ImportVariables, variableName } from "./import-variables.ts";
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
      const value = key === "providers" ? this.#providers(given) : key === "model" ? withoutKey(given) : given;
      this.#add(key, value, notesOf(key, given));
    } else if (isDeepStrictEqual(withoutKeys(key, now), withoutKeys(key, given))) this.#there(key);
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

  #providers(given: unknown): unknown {
    if (typeof given !== "object" || given === null) return given;
    const { variables } = this.#terms;
    return Object.fromEntries(
      Object.entries(given).map(([name, provider]: [string, unknown]) => {
        if (typeof provider !== "object" || provider === null) return [name, provider];
        const { apiKey } = provider as Json;
        if (typeof apiKey !== "string" || apiKey === "" || apiKey.includes("${env:")) return [name, provider];
        const wish = { bundle: `model provider ${name}`, where: `providers ${name} apiKey`, value: apiKey };
        return [name, { ...provider, apiKey: variables.refer({ ...wish, name: `${variableName(name)}_API_KEY` }) }];
      }),
    );
  }

  #skip(key: string, reason: string): void {
    this.steps.push({ kind: "setting", from: key, to: null, action: "skip", notes: [reason] });
  }
}

const withoutKey = (given: unknown): unknown => {
  if (typeof given !== "object" || given === null) return given;
  const { apiKey: _, ...rest } = given as Json;
  return rest;
};

/** A key is a reference here and is none there. */
const withoutKeys = (key: string, value: unknown): unknown => {
  if (key === "model") return withoutKey(value);
  if (key !== "providers" || typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, withoutKey(each)]));
};

const notesOf = (key: string, given: unknown): readonly string[] =>
  key === "model" && typeof given === "object" && given !== null && Object.hasOwn(given, "apiKey")
    ? ["without its key; set ANTHROPIC_API_KEY instead"]
    : [];
