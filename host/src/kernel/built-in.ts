/**
 * A provider that is part of the host: its tools are listed, gated, called and recorded like anybody's. A handler throws
 * Refusal for an expected "no"; whatever else it throws is a bug.
 */
import { definitionOf } from "./definition-of.ts";
import { EMPTY_CATALOGUE, type Catalogue, type Provider, type ProviderRequest } from "./provider.ts";
import { rawJson } from "./raw-json.ts";
import { Refusal } from "./refusal.ts";

export interface BuiltInCall {
  /** Whose call it is, as `principalName` writes it. */
  readonly owner: string;
  readonly signal: AbortSignal;
  readonly listener: ProviderRequest["listener"];
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
  /** The arguments were found valid against `inputSchema`. */
  run(args: Readonly<Record<string, unknown>>, call: BuiltInCall): Promise<BuiltInResult>;
}

export interface BuiltInOptions {
  readonly name: string;
  readonly version: string;
  readonly tools: readonly BuiltInTool[];
}

export const createBuiltIn = ({ name, version, tools }: BuiltInOptions): Provider => {
  const byName = new Map(tools.map((tool) => [tool.definition.name, tool]));
  const catalogue: Catalogue = { ...EMPTY_CATALOGUE, tools: tools.map(({ definition }) => listedTool(definition)) };
  const since = Date.now();
  return {
    name,
    status: () => ({
      state: "running",
      reason: null,
      next: null,
      since,
      retryAfterMs: null,
      version,
      restartsInWindow: 0,
      lastError: null,
    }),
    catalogue: () => catalogue,
    whenReady: () => Promise.resolve(true),
    async send(request) {
      const tool = request.method === "tools/call" ? byName.get(request.name) : undefined;
      if (tool === undefined) throw notHere(name, request);
      const { arguments: args } = JSON.parse(`{${request.params}}`) as { arguments?: Record<string, unknown> };
      const { owner, signal, listener } = request;
      const value = { ...(await tool.run(args ?? {}, { owner, signal, listener })) };
      return { kind: "result", json: rawJson(JSON.stringify(value)), isError: value.isError === true, value };
    },
    watch: () => false,
  };
};

const listedTool = (definition: BuiltInTool["definition"]): Catalogue["tools"][number] => ({
  name: definition.name,
  definition: definitionOf({ ...definition }),
  json: rawJson(JSON.stringify(definition)),
  value: { ...definition },
});

const notHere = (provider: string, { method, name }: ProviderRequest): Refusal =>
  new Refusal("upstream_failed", {
    message: `${provider} has nothing that answers ${method} of ${name.slice(0, 100)}.`,
    next: "List what it has and use one of those names.",
  });
