/** A place that knows packages by name, and what it may offer for one. */
import type { BundleFound } from "../../kernel/bundle-admin.ts";

export interface Wanted {
  readonly name: string;
  /** Exact; null: the newest. */
  readonly version: string | null;
}

/** How a package of npm is started, beyond what npm knows of it. */
export interface NpmStart {
  /** Arguments and variables that its descriptor in a registry asks for. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly userConfig: Readonly<Record<string, object>>;
  /** `_meta` of that descriptor: the install gate reads it. */
  readonly meta: Readonly<Record<string, object>> | null;
}

export interface Trust {
  readonly trustScore: number | null;
  readonly certificationLevel: string | null;
}

interface OfferBase extends Trust {
  /** As the registry calls it. */
  readonly version: string;
}

interface ArchiveOffer extends OfferBase {
  /** What the manifest in the archive must say; null: the registry's names are not those of manifests. */
  readonly manifest: { readonly name: string; readonly version: string } | null;
}

export interface FileOffer extends ArchiveOffer {
  readonly kind: "file";
  readonly file: string;
}

export interface DownloadOffer extends ArchiveOffer {
  readonly kind: "download";
  readonly url: URL;
  /** Hex. */
  readonly sha256: string;
  readonly size: number | null;
}

export interface NpmOffer extends OfferBase {
  readonly kind: "npm";
  readonly package: string;
  /** Null: the newest. */
  readonly packageVersion: string | null;
  readonly start: NpmStart;
}

export interface RemoteOffer extends OfferBase {
  readonly kind: "remote";
  readonly url: string;
  readonly transport: { readonly type: "streamable-http" | "sse"; readonly headers?: Readonly<Record<string, string>> };
  readonly meta: Readonly<Record<string, object>> | null;
}

export type Offer = FileOffer | DownloadOffer | NpmOffer | RemoteOffer;

export type Found = Omit<BundleFound, "installed">;

export interface Registry {
  /** For people: `mpak https://registry.mpak.dev`. */
  readonly label: string;
  /** Null: it has no such package. Rejects with a Refusal, or with an Error when it cannot be asked. */
  find(wanted: Wanted, signal: AbortSignal): Promise<Offer | null>;
  search(query: string, limit: number, signal: AbortSignal): Promise<readonly Found[]>;
}

export const NO_TRUST: Trust = { trustScore: null, certificationLevel: null };
