/** An entry of `bundles` in a configuration of the same family: the same shape, with its paths and secrets made ours. Pure. */
import { formatFinding, parseConfig } from "@bailiwick/contract";
import { dirname } from "node:path";
import type { RawEntry } from "./config-entries.ts";
import type { ForeignConfig, ImportPlace } from "./import-step.ts";
import { isObject } from "../kernel/is-object.ts";
import { looksSecret } from "../kernel/looks-secret.ts";
import { addressFault } from "./import-address.ts";
import { isModelKey, leaveModelKeys } from "./import-model-keys.ts";
import { isSecretArgument } from "./import-server.ts";
import { type ImportVariables, variableName } from "./import-variables.ts";
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
  /** What of it does not come along. */
  readonly notes: readonly string[];
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
  const fault = typeof entry["url"] === "string" ? addressFault(entry["url"]) : argumentFault(entry["args"]);
  if (fault !== null) return fault;
  const notes = dropModelKeys(entry);
  return { entry, finish: (named, bundle) => withReferences(named, bundle, variables), notes };
};

/** Arguments stand in the configuration as they are: no variable is put into them. */
const argumentFault = (args: unknown): string | null => {
  const texts = (Array.isArray(args) ? args : []).map(String);
  const at = texts.findIndex((arg, index) => isSecretArgument(arg, texts[index - 1] ?? ""));
  return at === -1 ? null : `its argument ${at + 1} is a secret; give it there by env or userConfig instead`;
};

/** What was between that host and others stays there. Returns what there is to say about it. */
const dropModelKeys = (entry: Record<string, unknown>): readonly string[] => {
  const said: string[] = [];
  const without = (holder: Record<string, unknown>, key: string, what: string): void => {
    if (!isObject(holder[key])) return;
    const { kept, notes } = leaveModelKeys(holder[key], what);
    if (notes.length > 0) holder[key] = kept;
    said.push(...notes);
  };
  without(entry, "env", "env");
  without(entry, "userConfig", "userConfig");
  if (isObject(entry["transport"])) {
    const { sessionId, ...transport } = entry["transport"] as Record<string, unknown>;
    without(transport, "headers", "header");
    entry["transport"] = transport;
    if (sessionId !== undefined) said.push("its sessionId is left there: it is one of that host's");
  }
  const { allowedEnv } = entry;
  if (Array.isArray(allowedEnv)) {
    const keys = allowedEnv.filter((name) => isModelKey(String(name)));
    if (keys.length > 0) entry["allowedEnv"] = allowedEnv.filter((name) => !keys.includes(name));
    said.push(
      ...keys.map((name) => `allowedEnv ${name} is left out: it is a key of a model; add it by hand if it is meant`),
    );
  }
  return said;
};

/** Members of `transport.auth` that are secrets whatever they look like. */
const SECRET_AUTH = new Set(["token", "value", "clientSecret"]);

const isSecretAuth = (key: string, value: string): boolean =>
  SECRET_AUTH.has(key) && (!value.includes("${env:") || looksSecret("secret", value));

const withReferences = (entry: RawEntry, bundle: string, variables: ImportVariables): RawEntry => {
  const keepMap = (map: unknown, what: string): unknown => {
    if (typeof map !== "object" || map === null) return map;
    const keepValue = (key: string, value: unknown): unknown => {
      if (Array.isArray(value)) return value.map((each) => keepValue(key, each));
      if (typeof value !== "string" || value === "") return value;
      if (!(what === "auth" ? isSecretAuth(key, value) : looksSecret(key, value))) return value;
      const isVariable = what === "env" && /^[A-Za-z_]\w*$/.test(key);
      const name = isVariable ? key : `${variableName(bundle)}_${variableName(key)}`;
      return variables.refer({ bundle, where: `${what} ${key}`, name, value });
    };
    const kept = Object.entries(map).map(([key, value]: [string, unknown]) => [key, keepValue(key, value)] as const);
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
