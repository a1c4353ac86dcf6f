/** From what a registry offers to a package in the store: brought here, checked against its digest, unpacked, in its place. */
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { describeFailure } from "../legs/http-failure.ts";
import type { NetworkRules } from "../legs/network-guard.ts";
import type { LocateOrder } from "../located.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { checkIdentity } from "./check-identity.ts";
import { copyArchive, downloadArchive } from "./fetch-archive.ts";
import { installNpm, resolveNpm, type LockedNpm } from "./install-npm.ts";
import type { InstallRecord } from "./install-records.ts";
import { checkNpmName } from "./npm-name.ts";
import type { PackageId, PackageStore } from "./package-store.ts";
import { readUnpackedManifest } from "./read-archive-manifest.ts";
import { refuseSource } from "./refuse-source.ts";
import type { DownloadOffer, FileOffer, NpmOffer } from "./registry.ts";
import type { NpmOptions } from "./run-npm.ts";
import type { SourceLimits } from "./sources-options.ts";
import { unpackArchive } from "./unpack-archive.ts";

export interface FetchOfferOptions extends NpmOptions {
  readonly store: PackageStore;
  readonly rules: NetworkRules;
  readonly limits: SourceLimits;
}

export interface FetchOrder extends LocateOrder {
  /** What the package was asked for as. */
  readonly name: string;
  /** What it must be, because it was that before; null: whatever the registry says. */
  readonly before: Pick<InstallRecord, "package" | "lock"> | null;
}

export interface Fetched {
  readonly id: PackageId;
  /** Of a package of npm. */
  readonly lock: string | null;
}

export const fetchOffer = (
  offer: FileOffer | DownloadOffer | NpmOffer,
  order: FetchOrder,
  options: FetchOfferOptions,
): Promise<Fetched> =>
  options.store.withScratch((scratch) => {
    const place = { ...order, ...options, scratch };
    return offer.kind === "npm" ? fetchNpm(offer, place) : fetchArchive(offer, place);
  });

interface Place extends FetchOrder, FetchOfferOptions {
  readonly scratch: string;
}

const fetchArchive = async (offer: FileOffer | DownloadOffer, place: Place): Promise<Fetched> => {
  const { scratch, store, limits, signal, name, before, onProgress = () => {} } = place;
  const archive = join(scratch, "archive");
  const what = offer.kind === "file" ? offer.file : `${name} ${offer.version}`;
  const digest =
    offer.kind === "file"
      ? await copyArchive(offer.file, { into: archive, limits, signal })
      : await download(offer, archive, place);
  compareDigests(what, before?.package.digest ?? null, { actual: digest, next: AS_BEFORE });
  onProgress({ message: `unpacking ${what}` });
  const files = join(scratch, "files");
  await unpackArchive(archive, { into: files, what, limits, signal });
  const told = await readUnpackedManifest(join(files, "manifest.json"));
  if (told !== null && offer.manifest !== null) checkIdentity(`The archive of ${what}`, told, offer.manifest);
  const id = { name: told?.name ?? name, version: told?.version ?? offer.version, digest, lock: null };
  await store.place(id, { scratch, files });
  return { id, lock: null };
};

const download = async (offer: DownloadOffer, into: string, place: Place): Promise<string> => {
  const { rules, limits, signal, name, onProgress = () => {} } = place;
  const what = `${name} ${offer.version}`;
  const { url, size } = offer;
  const digest = await downloadArchive(url, { into, rules, limits, signal, what, size, onProgress }).catch(
    (error: unknown) => {
      signal.throwIfAborted();
      if (error instanceof Refusal) throw error;
      throw refuseSource(
        `${what} could not be downloaded from ${url.origin}: ${describeFailure(error)}.`,
        "Look at the network and try again.",
      );
    },
  );
  compareDigests(`What ${url.origin} sent for ${what}`, `sha256:${offer.sha256}`, {
    actual: digest,
    next: "Do not use it. Ask the registry's operator, or install another version.",
  });
  return digest;
};

const AS_BEFORE = "It is not what was installed before. Find out why; if it is right, install it again.";

const compareDigests = (
  what: string,
  expected: string | null,
  { actual, next }: { readonly actual: string; readonly next: string },
): void => {
  if (expected === null || expected === actual) return;
  const message = `${what} is not what it should be: expected ${expected}, found ${actual}.`;
  throw refuseSource(message, next, { expected, actual });
};

const fetchNpm = async (offer: NpmOffer, place: Place): Promise<Fetched> => {
  const { scratch, store, fresh, before, onProgress = () => {} } = place;
  const files = join(scratch, "files");
  await mkdir(files, { mode: 0o700 });
  const resolve = (): Promise<LockedNpm> => {
    const wanted = checkNpmName({ package: offer.package, version: offer.packageVersion });
    onProgress({ message: `asking npm for ${wanted.package}` });
    return resolveNpm(wanted, files, place);
  };
  const isKnown = before !== null && before.lock !== null;
  const resolved = isKnown ? { id: before.package, lock: before.lock } : await resolve();
  const { id, lock } = resolved;
  if (!isKnown && fresh === false && (await store.has(id))) return resolved;
  onProgress({ message: `installing ${id.name} ${id.version} with npm` });
  await installNpm({ id, lock }, files, place);
  await store.place(id, { scratch, files });
  return resolved;
};
