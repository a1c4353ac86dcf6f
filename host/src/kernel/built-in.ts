/**
 * A provider that is part of the host: its tools and resources are listed, gated, called and recorded like anybody's. A
 * handler throws Refusal for an expected "no"; whatever else it throws is a bug.
 */
import { definitionOf } from "./definition-of.ts";
import {
  EMPTY_CATALOGUE,
  type CallFacts,
  type Catalogue,
  type ListedTool,
  type Provider,
  type ProviderAnswer,
  type ProviderRequest,
  type ProviderStatus,
} from "./provider.ts";
import { HostError } from "./host-error.ts";
import { rawJson, type RawJson } from "./raw-json.ts";
import { Refusal } from "./refusal.ts";
import { runningStatus } from "./running-status.ts";

export interface BuiltInCall {
  /** Whose call it is, as `principalName` writes it. */
  readonly owner: string;
  readonly signal: AbortSignal;
  readonly listener: ProviderRequest["listener"];
  readonly facts: () => CallFacts;
  /** What an operator says of the longest that it may take; absent or null: nothing. */
  readonly limitMs?: number | null;
}

export interface BuiltInResult {
  readonly content: readonly object[];
  readonly structuredContent?: object;
  readonly isError?: boolean;
}

export interface BuiltInTool {
  /** As `tools/list` gives it out, under the provider's own name for it. */
  readonly definition: {
    readonly name: string;
    readonly title?: string;
    readonly description: string;
    readonly inputSchema: object;
    readonly outputSchema?: object;
    readonly annotations?: object;
    readonly _meta?: object;
  };
  /** It calls `listener.chunk` while it runs. */
  readonly streams?: true;
  /**
   * Why nobody may call it now, the same object each time for the same reason; asked whenever it is listed. Null or absent:
   * nothing keeps it back.
   */
  readonly barred?: () => NonNullable<ListedTool["barred"]> | null;
  /** The arguments were found valid against `inputSchema`. */
  run(args: Readonly<Record<string, unknown>>, call: BuiltInCall): Promise<BuiltInResult>;
}

/** Resources of a scheme that is the provider's own; they are too many to be listed one by one. */
export interface BuiltInResources {
  readonly templates: readonly {
    readonly uriTemplate: string;
    readonly name: string;
    readonly title: string;
    readonly description: string;
  }[];
  /** Refusal `resource_not_found` for whatever is not there. */
  read(uri: string, call: BuiltInCall): Promise<BuiltInContents>;
}

/** The result of `resources/read`, as text and parsed: it may be too large to make one of the other. */
export interface BuiltInContents {
  readonly json: RawJson;
  readonly value: { readonly contents: readonly object[] };
}

export interface BuiltInOptions {
  readonly name: string;
  readonly version: string;
  readonly tools: readonly BuiltInTool[];
  readonly resources?: BuiltInResources;
}

export const createBuiltIn = (options: BuiltInOptions): Provider => new BuiltIn(options);

class BuiltIn implements Provider {
  readonly name: string;
  readonly #version: string;
  readonly #tools: ReadonlyMap<string, BuiltInTool>;
  readonly #resources: BuiltInResources | undefined;
  #catalogue: Catalogue;
  /** Null: it never changes. */
  readonly #bars: readonly (() => ListedTool["barred"] | null)[] | null;
  readonly #since = Date.now();

  constructor({ name, version, tools, resources }: BuiltInOptions) {
    this.name = name;
    this.#version = version;
    this.#tools = new Map(tools.map((tool) => [tool.definition.name, tool]));
    this.#resources = resources;
    this.#catalogue = {
      ...EMPTY_CATALOGUE,
      tools: tools.map(listedTool),
      templates: (resources?.templates ?? []).map(listedTemplate),
    };
    this.#bars = tools.some(({ barred }) => barred) ? tools.map(({ barred = () => null }) => barred) : null;
  }

  status(): ProviderStatus {
    return runningStatus(this.#version, this.#since);
  }

  catalogue(): Catalogue {
    if (this.#bars === null) return this.#catalogue;
    const bars = this.#bars.map((barred) => barred() ?? undefined);
    const { tools } = this.#catalogue;
    // Whoever keeps what was made of a catalogue knows it by its identity.
    if (tools.every(({ barred }, at) => barred === bars[at])) return this.#catalogue;
    return (this.#catalogue = { ...this.#catalogue, tools: tools.map((tool, at) => withBar(tool, bars[at])) });
  }

  whenReady(): Promise<boolean> {
    return Promise.resolve(true);
  }

  async send(request: ProviderRequest): Promise<ProviderAnswer> {
    const { method, name, owner, signal, listener, facts = noFacts } = request;
    const call = { owner, signal, listener, facts };
    const tool = method === "tools/call" ? this.#tools.get(name) : undefined;
    if (tool !== undefined) {
      const { arguments: args } = JSON.parse(`{${request.params}}`) as { arguments?: Record<string, unknown> };
      const value = { ...(await tool.run(args ?? {}, call)) };
      return { kind: "result", json: rawJson(JSON.stringify(value)), isError: value.isError === true, value };
    }
    if (method !== "resources/read" || this.#resources === undefined) throw notHere(this.name, request);
    const { json, value } = await this.#resources.read(name, call);
    return { kind: "result", json, isError: false, value: { ...value } };
  }

  watch(): false {
    return false;
  }
}

const noFacts = (): never => {
  throw new HostError("a request about no call reached a tool");
};

const withBar = (listed: ListedTool, barred: ListedTool["barred"]): ListedTool => {
  const { barred: _, ...tool } = listed;
  return barred === undefined ? tool : { ...tool, barred };
};

const listedTool = ({ definition, streams }: BuiltInTool): Catalogue["tools"][number] => ({
  ...(streams ? { streams } : {}),
  name: definition.name,
  definition: definitionOf({ ...definition }),
  json: rawJson(JSON.stringify(definition)),
  value: { ...definition },
});

const listedTemplate = (template: BuiltInResources["templates"][number]): Catalogue["templates"][number] => ({
  uriTemplate: template.uriTemplate,
  json: rawJson(JSON.stringify(template)),
  value: { ...template },
});

const notHere = (provider: string, { method, name }: ProviderRequest): Refusal =>
  new Refusal("upstream_failed", {
    message: `${provider} has nothing that answers ${method} of ${name.slice(0, 100)}.`,
    next: "List what it has and use one of those names.",
  });
