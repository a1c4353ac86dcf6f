/**
 * The package of a `name` entry. What was resolved before is used without asking anybody; else the registries are asked in
 * their order, and one that cannot be asked ends the search, because a later one must not stand in for it.
 */
import type { NameEntry } from "@bailiwick/contract";
import { Refusal } from "../../kernel/refusal.ts";
import type { Located, LocateOrder } from "../located.ts";
import { findOffer } from "./find-offer.ts";
import { fetchOffer, type FetchOfferOptions } from "./fetch-offer.ts";
import type { InstallKey, InstallRecord, InstallRecords } from "./install-records.ts";
import { makeNpmManifest } from "./npm-manifest.ts";
import { isNpmName, parseNpmName } from "./npm-name.ts";
import { PLAIN_START } from "./read-npm-start.ts";
import { refuseRemote } from "./remote-entry.ts";
import { NO_TRUST, type NpmOffer, type NpmStart, type Offer, type Registry } from "./registry.ts";

export interface LocateNameOptions extends FetchOfferOptions {
  readonly registries: readonly Registry[];
  readonly records: InstallRecords;
}

const NPM = "npm";

export const locateName = async (
  entry: NameEntry,
  order: LocateOrder,
  options: LocateNameOptions,
): Promise<Located> => {
  const { store, records } = options;
  const known = order.fresh === "newest" ? null : await recall(entry, options);
  if (known !== null && order.fresh === false && (await store.has(known.record.package))) {
    const whole = await shape(entry, { ...known, cached: true }, options).catch(unlessDamaged);
    if (whole !== null) return whole;
  }
  const { registry, offer } = await find(entry, known, order.signal, options);
  if (offer.kind === "remote") throw refuseRemote(entry, offer, registry);
  const { id, lock } = await fetchOffer(offer, { ...order, name: entry.name, before: known?.record ?? null }, options);
  const record: InstallRecord = {
    package: id,
    lock,
    version: offer.kind === "npm" && registry === NPM ? id.version : offer.version,
    trustScore: offer.trustScore,
    certificationLevel: offer.certificationLevel,
    npm: offer.kind === "npm" ? offer.start : null,
  };
  await records.write(keyOf(entry, registry), record);
  return shape(entry, { record, registry, cached: false }, options);
};

/** A refusal is about the package; anything else says that its files are not what they were. */
const unlessDamaged = (error: unknown): null => {
  if (error instanceof Refusal) throw error;
  return null;
};

const keyOf = ({ name, version }: NameEntry, registry: string): InstallKey => ({ name, version, registry });

interface Known {
  readonly record: InstallRecord;
  /** Its label. */
  readonly registry: string;
}

/** Of the registries that are still configured, the first that it came from. */
const recall = async (entry: NameEntry, { registries, records }: LocateNameOptions): Promise<Known | null> => {
  const labels = isNpmName(entry.name) ? [NPM] : registries.map(({ label }) => label);
  for (const registry of labels) {
    const record = await records.read(keyOf(entry, registry));
    if (record !== null) return { record, registry };
  }
  return null;
};

/**
 * One whose files are gone is looked for where it came from, in the version it had. For a package of npm nobody else is asked:
 * the record says how it was had.
 */
const find = async (
  entry: NameEntry,
  known: Known | null,
  signal: AbortSignal,
  { registries }: LocateNameOptions,
): Promise<{ readonly registry: string; readonly offer: Offer }> => {
  if (known !== null && known.record.npm !== null)
    return { registry: known.registry, offer: sameOf(known.record, known.record.npm) };
  if (isNpmName(entry.name)) {
    const { package: name, version: packageVersion } = parseNpmName(entry.name, entry.version);
    const base = { version: packageVersion ?? "", ...NO_TRUST };
    return { registry: NPM, offer: { kind: "npm", package: name, packageVersion, start: PLAIN_START, ...base } };
  }
  const version = known?.record.version ?? entry.version;
  const asked = known === null ? registries : registries.filter(({ label }) => label === known.registry);
  return findOffer({ name: entry.name, version }, asked, signal);
};

const sameOf = (
  { package: id, version, trustScore, certificationLevel }: InstallRecord,
  start: NpmStart,
): NpmOffer => ({
  kind: "npm",
  package: id.name,
  packageVersion: id.version,
  start,
  version,
  trustScore,
  certificationLevel,
});

const shape = async (
  entry: NameEntry,
  { record, registry, cached }: Known & { readonly cached: boolean },
  { store }: LocateNameOptions,
): Promise<Located> => {
  const { package: id, npm, trustScore, certificationLevel } = record;
  const directory = store.folderOf(id);
  const { args, env } = entry;
  const manifest =
    npm === null ? null : await makeNpmManifest({ folder: directory, package: id.name, args, env, start: npm });
  return { directory, manifest, digest: id.digest, cached, origin: registry, trustScore, certificationLevel };
};
