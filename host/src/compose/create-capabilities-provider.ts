/**
 * The `capabilities://` family as a provider: JSON documents that say what this host has, listed, gated, read and recorded
 * like anybody's. Each is made anew at each read, so that none is older than what it tells of. It has no tools.
 */
import type { Principal } from "../kernel/principal.ts";
import {
  EMPTY_CATALOGUE,
  type Catalogue,
  type Provider,
  type ProviderAnswer,
  type ProviderRequest,
  type ProviderStatus,
} from "../kernel/provider.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { Refusal } from "../kernel/refusal.ts";
import { runningStatus } from "../kernel/running-status.ts";

const NAME = "capabilities";
const MIME_TYPE = "application/json";

export interface CapabilityDocument {
  /** `capabilities://skills`, without a `/` at its end. */
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** As this reader may know it. */
  readonly read: (reader: Principal) => object | Promise<object>;
}

export interface CapabilitiesOptions {
  readonly version: string;
  readonly documents: readonly CapabilityDocument[];
}

export interface CapabilitiesProvider extends Provider {
  /** Tells those who watch it that the document is not what it was. */
  changed(uri: string): void;
}

export const createCapabilitiesProvider = (options: CapabilitiesOptions): CapabilitiesProvider =>
  new Capabilities(options);

class Capabilities implements CapabilitiesProvider {
  readonly name = NAME;
  readonly #version: string;
  readonly #documents: ReadonlyMap<string, CapabilityDocument>;
  readonly #catalogue: Catalogue;
  readonly #watches = new Map<string, Set<{ readonly updated: () => void }>>();
  readonly #since = Date.now();

  constructor({ version, documents }: CapabilitiesOptions) {
    this.#version = version;
    this.#documents = new Map(documents.map((document) => [document.uri, document]));
    this.#catalogue = { ...EMPTY_CATALOGUE, resources: documents.map(listed) };
  }

  status(): ProviderStatus {
    return runningStatus(this.#version, this.#since);
  }

  catalogue(): Catalogue {
    return this.#catalogue;
  }

  whenReady(): Promise<boolean> {
    return Promise.resolve(true);
  }

  async send({ method, name, facts }: ProviderRequest): Promise<ProviderAnswer> {
    if (method !== "resources/read" || facts === undefined) throw notHere(method);
    const { uri, read } = this.#find(name) ?? this.#refuse(name);
    const value = { contents: [{ uri, mimeType: MIME_TYPE, text: JSON.stringify(await read(facts().caller)) }] };
    return { kind: "result", json: rawJson(JSON.stringify(value)), isError: false, value };
  }

  watch(given: string, updated: () => void): (() => void) | false {
    const document = this.#find(given);
    if (document === undefined) return false;
    const { uri } = document;
    const watch = { updated };
    const watches = this.#watches.get(uri) ?? new Set();
    this.#watches.set(uri, watches.add(watch));
    return () => {
      watches.delete(watch);
      if (watches.size === 0 && this.#watches.get(uri) === watches) this.#watches.delete(uri);
    };
  }

  changed(uri: string): void {
    // Who is told may begin another watch.
    const watches = new Set(this.#watches.get(uri));
    for (const { updated } of watches) updated();
  }

  #find(uri: string): CapabilityDocument | undefined {
    return this.#documents.get(uri) ?? this.#documents.get(plainUri(uri));
  }

  #refuse(uri: string): never {
    const known = [...this.#documents.keys()];
    throw new Refusal("resource_not_found", {
      message: `There is no document ${JSON.stringify(uri.slice(0, 256))} about what this host has.`,
      next: `Read one of: ${known.join(", ")}. Or list the tools with tools/list.`,
      details: { uri: uri.slice(0, 1_024), known },
    });
  }
}

/** Schemes are the same in any case, and a `/` at the end means nothing. */
const plainUri = (uri: string): string => uri.replace(/^capabilities:/i, "capabilities:").replace(/(?<=[^/])\/$/, "");

const listed = ({ uri, name, title, description }: CapabilityDocument): Catalogue["resources"][number] => {
  const value = { uri, name, title, description, mimeType: MIME_TYPE };
  return { uri, json: rawJson(JSON.stringify(value)), value };
};

const notHere = (method: string): Refusal =>
  new Refusal("upstream_failed", {
    message: `The host's capabilities have nothing that answers ${method}.`,
    next: "Read their documents with resources/read.",
  });
