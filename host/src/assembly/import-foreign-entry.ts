/** An entry of `bundles` in a configuration of the same family: the same shape, with its paths and secrets made ours. Pure. */
import { formatFinding, parseConfig } from "@bailiwick/contract";
import { dirname } from "node:path";
import type { RawEntry } from "./config-entries.ts";
import type { ForeignConfig, ImportPlace } from "./import-step.ts";
import { type ImportVariables, looksSecret, variableName } from "./import-variables.ts";
import { resolvePath } from "./resolve-path.ts";

export interface ForeignTerms {
  readonly config: ForeignConfig;
  readonly place: Pick<ImportPlace, "home">;
  readonly variables: ImportVariables;
}

export interface ForeignEntry {
  /** With its secrets still in it. */
  readonly entry: RawEntry;
  /** With references in their place, for the bundle of this name. */
  readonly finish: (entry: RawEntry, bundle: string) => RawEntry;
}

/** What is about how that host runs a bundle, and was decided there. */
const LEFT = new Set(["protected", "trustScore"]);

/** A text: why it cannot be taken. */
export const foreignEntry = (value: unknown, { config, place, variables }: ForeignTerms): ForeignEntry | string => {
  const { errors } = parseConfig(JSON.stringify({ bundles: [value] }), { dialect: "nimblebrain" });
  const [error] = errors;
  if (error !== undefined) return formatFinding(error).replace(/^\/bundles\/0[/:]? ?/, "");
  const kept = Object.entries(value as RawEntry).filter(([key]) => !LEFT.has(key));
  const entry: Record<string, unknown> = Object.fromEntries(kept);
  if (typeof entry["path"] === "string") {
    entry["path"] = resolvePath(entry["path"], { baseDir: dirname(config.file), home: place.home });
  }
  return { entry, finish: (named, bundle) => withReferences(named, bundle, variables) };
};

/** Members of `transport.auth` that are secrets whatever they look like. */
const SECRET_AUTH = new Set(["token", "value", "clientSecret"]);

const withReferences = (entry: RawEntry, bundle: string, variables: ImportVariables): RawEntry => {
  const keepMap = (map: unknown, what: string): unknown => {
    if (typeof map !== "object" || map === null) return map;
    const kept = Object.entries(map).map(([key, value]: [string, unknown]) => {
      const isOpen = typeof value !== "string" || value === "" || value.includes("${env:");
      if (isOpen || !(what === "auth" ? SECRET_AUTH.has(key) : looksSecret(key, value))) return [key, value];
      const isVariable = what === "env" && /^[A-Za-z_]\w*$/.test(key);
      const name = isVariable ? key : `${variableName(bundle)}_${variableName(key)}`;
      return [key, variables.refer({ bundle, where: `${what} ${key}`, name, value })];
    });
    return Object.fromEntries(kept);
  };
  const keep = (holder: RawEntry, members: Readonly<Record<string, string>>): RawEntry => ({
    ...holder,
    ...Object.fromEntries(
      Object.entries(members).flatMap(([key, what]) =>
        holder[key] === undefined ? [] : [[key, keepMap(holder[key], what)]],
      ),
    ),
  });
  const kept = keep(entry, { env: "env", userConfig: "userConfig" });
  const { transport } = kept;
  if (transport === undefined) return kept;
  return { ...kept, transport: keep(transport as RawEntry, { auth: "auth", headers: "header" }) };
};
