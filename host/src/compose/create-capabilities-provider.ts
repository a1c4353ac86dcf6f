/**
 * The `capabilities://` family as a provider: JSON documents that say what this host has, listed, gated, read and recorded
 * like anybody's. It has no tools.
 */
import {
  EMPTY_CATALOGUE,
  type Catalogue,
  type Provider,
  type ProviderAnswer,
  type ProviderRequest,
  type ProviderStatus,
} from "../kernel/provider.ts";
import { Refusal } from "../kernel/refusal.ts";
import { runningStatus } from "../kernel/running-status.ts";
import { DocumentShelf, type CapabilityDocument } from "./documents/document-shelf.ts";

const NAME = "capabilities";

export interface CapabilitiesOptions {
  readonly version: string;
  readonly documents: readonly CapabilityDocument[];
}

export interface CapabilitiesProvider extends Provider {
  /** Tells those who watch it, or a part of it, that the document is not what it was. */
  changed(uri: string): void;
}

export const createCapabilitiesProvider = (options: CapabilitiesOptions): CapabilitiesProvider =>
  new Capabilities(options);

class Capabilities implements CapabilitiesProvider {
  readonly name = NAME;
  readonly #version: string;
  readonly #shelf: DocumentShelf;
  readonly #catalogue: Catalogue;
  readonly #watches = new Map<string, Set<{ readonly updated: () => void }>>();
  readonly #since = Date.now();

  constructor({ version, documents }: CapabilitiesOptions) {
    this.#version = version;
    this.#shelf = new DocumentShelf(documents);
    const { resources, templates } = this.#shelf;
    this.#catalogue = { ...EMPTY_CATALOGUE, resources, templates };
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
    const { json, value } = await this.#shelf.read(name, facts().caller);
    return { kind: "result", json, isError: false, value: { ...value } };
  }

  watch(given: string, updated: () => void): (() => void) | false {
    const uri = this.#shelf.documentAt(given);
    if (uri === null) return false;
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
}

const notHere = (method: string): Refusal =>
  new Refusal("upstream_failed", {
    message: `The host's capabilities have nothing that answers ${method}.`,
    next: "Read their documents with resources/read.",
  });
