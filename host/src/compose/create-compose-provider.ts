/**
 * The provider `compose` of one workspace: its tools, and the resources of `config://`, `schema://`, `content://`,
 * `generator://` and `capabilities://`, listed, gated, called, read and recorded like anybody's.
 */
import { createBuiltIn, type BuiltInTool } from "../kernel/built-in.ts";
import {
  EMPTY_CATALOGUE,
  type Catalogue,
  type MoreResources,
  type Provider,
  type ProviderAnswer,
  type ProviderRequest,
  type ProviderStatus,
} from "../kernel/provider.ts";
import type { Principal } from "../kernel/principal.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { Refusal } from "../kernel/refusal.ts";
import { runningStatus } from "../kernel/running-status.ts";
import type { ComposeResources } from "./documents/compose-families.ts";
import { DocumentShelf, type CapabilityDocument } from "./documents/document-shelf.ts";
import { uriOfType } from "./documents/family.ts";
import { firstThere } from "./resources/first-there.ts";
import { Listing } from "./resources/listing.ts";
import { notThere } from "./resources/not-there.ts";
import { readResource } from "./resources/read-resource.ts";
import type { ResourceParts } from "./resources/resource-parts.ts";
import { readResourceUri, uriOf, type ResourceUri } from "./resources/resource-uri.ts";
import { seenBy } from "./resources/seen-by.ts";
import { STATIC_RESOURCES, STATIC_TEMPLATES } from "./resources/static-resources.ts";
import { Watchers } from "./resources/watchers.ts";
import type { ComposeTool } from "./tools/compose-tool.ts";
import { nameTools } from "./tools/name-tools.ts";
import { runTool } from "./tools/run-tool.ts";
import type { GeneratorsSeen } from "./workbench.ts";

const NAME = "compose";
const CAPABILITIES = /^capabilities:/i;

export interface ComposeProviderOptions {
  readonly version: string;
  readonly tools: readonly ComposeTool[];
  /** The workbench. */
  readonly parts: ResourceParts;
  /** Of `capabilities://`. */
  readonly documents: readonly CapabilityDocument[];
  /** What `more` lists is not what it was. */
  readonly listsChanged: () => void;
  /** `mcp.maxResultBytes` */
  readonly maxResultBytes: number;
  readonly report: (error: unknown) => void;
}

export interface ComposeProvider extends Provider {
  readonly more: MoreResources;
  /** Tells those who watch it, or what it is part of, and looks at it again for the lists. Any URI may be given. */
  changed(uri: string): void;
  /** What can be read now, of each kind the first few at least. */
  there(): Promise<ComposeResources>;
  /** Resolves when all that is old or known to have changed was looked at. Never rejects. */
  whenListed(): Promise<void>;
}

export const createComposeProvider = (options: ComposeProviderOptions): ComposeProvider => new Compose(options);

class Compose implements ComposeProvider {
  readonly name = NAME;
  readonly #options: ComposeProviderOptions;
  readonly #tools: ReadonlyMap<string, BuiltInTool>;
  readonly #shelf: DocumentShelf;
  readonly #listing: Listing;
  readonly #catalogue: Catalogue;
  readonly #watchers = new Watchers();
  readonly #since = Date.now();

  constructor(options: ComposeProviderOptions) {
    const { version, documents, parts, listsChanged, report } = options;
    this.#options = options;
    const named = nameTools(options.tools.map(({ name }) => name));
    const tools = options.tools.map((tool) => runTool(tool, { report, maxResultBytes: options.maxResultBytes, named }));
    this.#tools = new Map(tools.map((tool) => [tool.definition.name, tool]));
    this.#shelf = new DocumentShelf(documents);
    this.#catalogue = {
      ...EMPTY_CATALOGUE,
      tools: createBuiltIn({ name: NAME, version, tools }).catalogue().tools,
      resources: [...this.#shelf.resources, ...STATIC_RESOURCES],
      templates: [...STATIC_TEMPLATES, ...this.#shelf.templates],
    };
    const onFound = (resources: readonly ResourceUri[]): void => this.#tell(resources);
    this.#listing = new Listing({ parts, onList: listsChanged, onFound, report });
  }

  status(): ProviderStatus {
    return runningStatus(this.#options.version, this.#since);
  }

  catalogue(): Catalogue {
    return this.#catalogue;
  }

  get more(): MoreResources {
    return this.#listing;
  }

  /** Nobody waits until all is looked at again. */
  async there(): Promise<ComposeResources> {
    return this.#listing.isRecent() ? this.#listing.seen() : firstThere(this.#options.parts);
  }

  whenListed(): Promise<void> {
    return this.#listing.look();
  }

  whenReady(): Promise<boolean> {
    return Promise.resolve(true);
  }

  async send(request: ProviderRequest): Promise<ProviderAnswer> {
    if (request.method === "tools/call") return this.#run(request);
    if (request.method === "resources/read") return this.#read(request);
    throw notHere(request.method);
  }

  watch(given: string, updated: () => void): (() => void) | false {
    const resource = readResourceUri(given);
    // Schemas never change, and what can never be there does not either.
    if (resource?.kind === "schema" || resource?.kind === "schemas") return false;
    const uri = resource === null ? this.#shelf.documentAt(given) : uriOf(resource);
    return uri === null ? false : this.#watchers.add(uri, updated);
  }

  changed(uri: string): void {
    const resource = readResourceUri(uri);
    if (resource === null) {
      this.#watchers.tell(this.#shelf.documentAt(uri) ?? uri);
      if (uri === uriOfType("generators")) this.#listing.lookAt({ kind: "generators" });
      return;
    }
    const task = taskOf(resource);
    this.#tell(task === null ? [resource] : [resource, task]);
    if (task !== null) this.#listing.lookAt(task);
  }

  #tell(resources: readonly ResourceUri[]): void {
    for (const uri of new Set(resources.flatMap(toldOf))) this.#watchers.tell(uri);
  }

  async #run(request: ProviderRequest): Promise<ProviderAnswer> {
    const { name, params, owner, signal, listener, facts, limitMs = null } = request;
    const tool = this.#tools.get(name);
    if (tool === undefined || facts === undefined) throw notHere(`tools/call of ${name.slice(0, 100)}`);
    const { arguments: args = {} } = JSON.parse(`{${params}}`) as { arguments?: Record<string, unknown> };
    const value = { ...(await tool.run(args, { owner, signal, listener, facts, limitMs })) };
    // Whoever lists after the answer finds what was made.
    await this.#listing.caughtUp();
    return { kind: "result", json: rawJson(JSON.stringify(value)), isError: value.isError === true, value };
  }

  async #read({ name: uri, facts }: ProviderRequest): Promise<ProviderAnswer> {
    if (facts === undefined) throw notHere("a read about no call");
    const { caller: reader, endpoint } = facts();
    const contents = await this.#unlessFaulty(() =>
      CAPABILITIES.test(uri) ? this.#shelf.read(uri, { reader, endpoint }) : this.#readResource(uri, reader),
    );
    return { kind: "result", json: contents.json, isError: false, value: { ...contents.value } };
  }

  /** Nothing was changed by it, so its outcome is known. */
  async #unlessFaulty<T>(read: () => Promise<T>): Promise<T> {
    try {
      return await read();
    } catch (error) {
      if (error instanceof Refusal) throw error;
      this.#options.report(error);
      throw new Refusal("server_error", {
        message: "This could not be read because of a fault of this host.",
        next: "Read it again; if it fails again, the log of the host says why. tools/list has the tools meanwhile.",
      });
    }
  }

  async #readResource(uri: string, reader: Principal): ReturnType<DocumentShelf["read"]> {
    const { parts } = this.#options;
    const resource = readResourceUri(uri);
    const look = async (): Promise<GeneratorsSeen> => seenBy(reader, await parts.generators.look());
    const contents =
      resource === null
        ? null
        : await readResource({ ...parts, generators: { look, seen: () => parts.generators.seen() } }, resource);
    if (contents !== null) return contents;
    const types = (await look()).generators.map(({ entry }) => entry.type);
    throw notThere(uri, { ...this.#listing.seen(), generators: types });
  }
}

/** What there is to look at again; null: nothing of it is listed. */
const taskOf = (resource: ResourceUri): Parameters<Listing["lookAt"]>[0] | null => {
  switch (resource.kind) {
    case "config":
      return resource;
    case "content":
    case "versions":
    case "version":
      return { kind: "content", id: resource.id };
    case "generators":
    case "generator":
      return { kind: "generators" };
    default:
      return null;
  }
};

/** All documents that a change of this one shows in. */
const toldOf = (resource: ResourceUri): readonly string[] => {
  const uri = uriOf(resource);
  switch (resource.kind) {
    case "config":
      return [uri, uriOf({ kind: "configs", type: resource.type })];
    case "content":
      return [uri, uriOf({ kind: "versions", id: resource.id }), uriOf({ kind: "contents" })];
    case "generator":
      return [uri, uriOf({ kind: "generators" }), uriOfType("generators"), uriOfType("server")];
    default:
      return [uri];
  }
};

const notHere = (what: string): Refusal =>
  new Refusal("upstream_failed", {
    message: `compose has nothing that answers ${what}.`,
    next: "List what it has and use one of those names.",
  });
