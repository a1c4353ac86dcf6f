/** Which bundles of a source are added, under which names, and which are there already. Pure. */
import { formatFinding, parseConfig } from "@bailiwick/contract";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { BASH_NAME } from "../bundles/bash/locate-bash.ts";
import { shellWord } from "../kernel/shell-word.ts";
import type { RawEntry } from "./config-entries.ts";
import { shownAddress } from "./import-address.ts";
import { foreignEntry } from "./import-foreign-entry.ts";
import { entryOf, manifestOf } from "./import-entry.ts";
import { candidateNames, nameOfEntry, pathOfEntry, plainName } from "./import-name.ts";
import { readServer, type ServerDraft } from "./import-server.ts";
import type { ForeignConfig, ForeignServer, ImportPlace, ImportStep } from "./import-step.ts";
import { ImportVariables } from "./import-variables.ts";

const BUILT_IN = "bash";

type Manifest = { readonly directory: string; readonly text: string };

interface MadeEntry {
  readonly entry: RawEntry;
  /** Null: its manifest says it. */
  readonly name: string | null;
  readonly wanted: string | null;
  readonly notes: readonly string[];
  readonly manifest: Manifest | null;
}

export class ImportBundles {
  readonly steps: ImportStep[] = [];
  readonly added: RawEntry[] = [];
  readonly manifests: Manifest[] = [];
  readonly variables: ImportVariables;
  readonly #place: ImportPlace;
  readonly #taken: Set<string>;
  readonly #known: RawEntry[];

  constructor(place: ImportPlace) {
    this.#place = place;
    this.variables = new ImportVariables(place.env);
    const { bundles } = place.value;
    this.#known = (Array.isArray(bundles) ? bundles : []).filter(
      (each): each is RawEntry => typeof each === "object" && each !== null,
    );
    const names = this.#known.map(nameOfEntry).filter((name) => name !== null);
    this.#taken = new Set([...names, ...place.builtIn]);
  }

  server(server: ForeignServer): void {
    const from = server.name;
    const draft = readServer(server);
    const plain = plainName(from);
    if (typeof draft === "string") this.#skip(from, draft);
    else if (plain === null) this.#skip(from, "its name has no letter a-z and no digit; give it another there");
    else this.#take(from, draft, plain);
  }

  /** An entry of a configuration of the same family. */
  entry(value: unknown, config: ForeignConfig): void {
    const found = foreignEntry(value, { config, place: this.#place, variables: this.variables });
    if (typeof found === "string") return this.#skip(labelOf(value), found);
    const from = labelOf(value);
    const same = this.#known.find((each) => isSameSource(each, found.entry, this.#place.baseDir));
    if (same !== undefined) return this.#there(from, nameOfEntry(same) ?? from);
    const isBuiltIn = found.entry["name"] === BASH_NAME;
    if (isBuiltIn && Object.keys(found.entry).length === 1 && this.#taken.has(BUILT_IN))
      return this.#there(from, BUILT_IN);
    // An entry for the bundle that comes with the host stands in its place.
    if (isBuiltIn && !this.#known.some((each) => nameOfEntry(each) === BUILT_IN)) this.#taken.delete(BUILT_IN);
    const wanted = nameOfEntry(found.entry);
    const name = wanted === null ? null : this.#freeName(wanted);
    if (wanted !== null && name === null) return this.#skip(from, `no name like ${wanted} is free`);
    const entry = name === null || name === wanted ? found.entry : { ...found.entry, serverName: name };
    const { notes } = found;
    this.#add(from, { entry: found.finish(entry, name ?? from), name, wanted, notes, manifest: null });
  }

  #take(from: string, draft: ServerDraft, wanted: string): void {
    const same = this.#known.find((each) => isSameServer(each, draft));
    if (same !== undefined) return this.#there(from, nameOfEntry(same) ?? wanted);
    for (const name of candidateNames(wanted)) {
      const directory = join(this.#place.importedDir, name);
      const text = draft.kind === "command" ? manifestOf(draft, name) : null;
      if (this.#taken.has(name)) {
        if (text !== null && this.#isImported(name, directory, text)) return this.#there(from, name);
        continue;
      }
      // Left over from a bundle that was removed since: another command must not be changed behind its back.
      const before = text === null ? null : this.#place.manifestIn(directory);
      if (before !== null && before !== text) continue;
      const { variables } = this;
      const entry = entryOf(draft, { provider: name, directory, home: this.#place.home, variables });
      const manifest = text === null ? null : { directory, text };
      return this.#add(from, { entry, name, wanted, notes: draft.notes, manifest });
    }
    this.#skip(from, `no name like ${wanted} is free`);
  }

  #isImported(name: string, directory: string, text: string): boolean {
    const holder = this.#known.find((each) => nameOfEntry(each) === name);
    const isThere = holder !== undefined && pathOfEntry(holder, this.#place.baseDir) === directory;
    const planned = this.manifests.find((each) => each.directory === directory)?.text;
    return isThere && (planned ?? this.#place.manifestIn(directory)) === text;
  }

  #freeName(wanted: string): string | null {
    return candidateNames(wanted).find((name) => !this.#taken.has(name)) ?? null;
  }

  #add(from: string, made: MadeEntry): void {
    const { errors } = parseConfig(JSON.stringify({ bundles: [made.entry] }), { dialect: "bailiwick" });
    const [error] = errors;
    const { name, wanted, notes, manifest } = made;
    if (error !== undefined) {
      this.variables.forget(name ?? from);
      return this.#skip(from, formatFinding(error).replace(/^\/bundles\/0\/?/, ""));
    }
    if (manifest !== null) this.manifests.push(manifest);
    const runs = whatRuns(made.entry, manifest?.text ?? null);
    const renamed = name === wanted || name === null ? [] : [`called ${name}, since ${wanted} is taken or reserved`];
    this.#known.push(made.entry);
    if (name !== null) this.#taken.add(name);
    this.added.push(made.entry);
    this.steps.push({ kind: "bundle", from, to: name ?? from, action: "add", notes: [runs, ...renamed, ...notes] });
  }

  #there(from: string, to: string): void {
    this.steps.push({ kind: "bundle", from, to, action: "there", notes: [] });
  }

  #skip(from: string, reason: string): void {
    this.steps.push({ kind: "bundle", from, to: null, action: "skip", notes: [reason] });
  }
}

const isSameServer = (entry: RawEntry, draft: ServerDraft): boolean => {
  if (draft.kind === "url") return entry["url"] === draft.url;
  if (draft.kind === "command") return false;
  const name = typeof entry["name"] === "string" ? entry["name"].replace(/(?<=.)@[^/@]*$/, "") : null;
  return name === `npm:${draft.package}` && isDeepStrictEqual(entry["args"] ?? [], [...draft.args]);
};

const isSameSource = (a: RawEntry, b: RawEntry, baseDir: string): boolean => {
  if (typeof b["url"] === "string") return a["url"] === b["url"];
  if (typeof b["path"] === "string") return pathOfEntry(a, baseDir) === b["path"];
  return a["name"] === b["name"] && isDeepStrictEqual(a["args"] ?? [], b["args"] ?? []);
};

/** The configuration takes it, so its members are what they have to be. */
interface PackageEntry {
  readonly name: string;
  readonly version?: string;
  readonly args?: readonly string[];
}

/** What the bundle starts or talks to, with references where secrets were. */
const whatRuns = (entry: RawEntry, manifest: string | null): string => {
  const { url, path, userConfig = {} } = entry;
  if (typeof url === "string") return `connects to ${url}`;
  if (manifest !== null) return `runs ${commandLine(manifest, userConfig as RawEntry)}`;
  if (typeof path === "string") return `runs the package in ${path}`;
  const { name, version, args = [] } = entry as unknown as PackageEntry;
  const words = [version === undefined ? name : `${name}@${version}`, ...args];
  return `runs ${words.map(shellWord).join(" ")}`;
};

const commandLine = (manifest: string, values: RawEntry): string => {
  const { server } = JSON.parse(manifest) as { server: { mcp_config: { command: string; args: readonly string[] } } };
  const { command, args } = server.mcp_config;
  const filled = args.map((arg) => arg.replace(/^\$\{user_config\.(\w+)\}$/, (_, key: string) => String(values[key])));
  return [command, ...filled].map((word) => (word.includes("${env:") ? word : shellWord(word))).join(" ");
};

const labelOf = (value: unknown): string => {
  const { serverName, name, path, url } = (typeof value === "object" && value !== null ? value : {}) as RawEntry;
  const label = [serverName, name, path, url].find((each) => typeof each === "string");
  if (typeof label !== "string") return "an entry without a source";
  return (label === url ? shownAddress(label) : label).slice(0, 200);
};
