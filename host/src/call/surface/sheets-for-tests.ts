/** Providers, sheets and calls for the tests of this room. */
import { NOBODY } from "../../kernel/ask.ts";
import type { RawCall } from "../../kernel/call.ts";
import type { Capability } from "../../kernel/capability.ts";
import type { CapabilityRules } from "../../kernel/capability-rules.ts";
import type { RequirementsOf } from "../../kernel/environment.ts";
import type { Principal } from "../../kernel/principal.ts";
import { EMPTY_CATALOGUE, type Catalogue, type Provider, type ProviderState } from "../../kernel/provider.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Identified, Lifecycle, Target } from "../../kernel/stages.ts";
import type { View } from "../../kernel/surface.ts";
import type { UriOwners } from "../../kernel/uri-owners.ts";
import { createSurfaces, type Sheets } from "./create-surfaces.ts";
import { createRegistry, type Registry } from "./registry.ts";
import { createSurface } from "./surface.ts";

export const OWNER = { id: "person:owner", kind: "person", scopes: null } as unknown as Principal;
export const scoped = (...scopes: string[]): Principal => ({ ...OWNER, scopes });

export const entry = (json: string) => ({ json: rawJson(json), value: JSON.parse(json) as Record<string, unknown> });
const tool = (json: string) => {
  const listed = entry(json);
  return { ...listed, name: listed.value["name"] as string, definition: `sha256:${json.length}` };
};

export const resource = (uri: string, members = ""): Catalogue["resources"][number] => ({
  ...entry(`{"uri":${JSON.stringify(uri)}${members}}`),
  uri,
});
export const template = (uriTemplate: string): Catalogue["templates"][number] => ({
  ...entry(`{"uriTemplate":${JSON.stringify(uriTemplate)}}`),
  uriTemplate,
});

interface Shelf extends Partial<Omit<Catalogue, "tools">> {
  tools?: string[];
  state?: ProviderState;
  watch?: Provider["watch"];
}

const STATUS = { reason: null, next: null, since: 0, version: "1.2.3", lastError: null };

export const provider = (name: string, shelf: Shelf): Provider & { shelf: Shelf } => {
  const made = {
    name,
    shelf,
    watch: shelf.watch ?? (() => false),
    catalogue: (): Catalogue => catalogue,
    status: () => ({ ...STATUS, state: made.shelf.state ?? "running" }),
  };
  const catalogue = { ...EMPTY_CATALOGUE, ...shelf, tools: (shelf.tools ?? []).map(tool) } as Catalogue;
  return made as unknown as Provider & { shelf: Shelf };
};

/** Apps, as a client declares that it shows them. */
export const SHOWS_APPS = {
  ...NOBODY,
  declared: { json: rawJson("{}"), value: { extensions: { "io.modelcontextprotocol/ui": {} } } },
};

export interface Bench {
  readonly registry: Registry;
  readonly sheets: Sheets;
  readonly find: (call: Partial<RawCall> & { name: string }, principal?: Principal) => Target;
  /** Who answers a read of this URI. */
  readonly read: (name: string, more?: Partial<RawCall>, principal?: Principal) => string;
  /** Names of the listed tools. */
  readonly listed: (principal?: Principal, on?: string | null, view?: View) => string[];
}

/** Nothing is said about any tool but by its definition. */
const UNSAID: CapabilityRules = {
  capabilityOf: (_, { flatName }) => ({ id: flatName, version: "1.2.3", allowedActors: [] }) as unknown as Capability,
  generation: () => 0,
  isOverlaid: () => false,
  flatNameOf: () => null,
  actorClass: () => "",
};

interface BenchOptions {
  readonly maxNameLength?: number;
  readonly owners?: UriOwners;
  readonly capabilities?: CapabilityRules;
  readonly requirementsOf?: RequirementsOf;
  readonly lifecycleOf?: () => Lifecycle;
}

export const openBench = (options: BenchOptions = {}): Bench => {
  const registry = createRegistry();
  const sheets = createSurfaces(registry, {
    workspace: "ws_default",
    capabilities: UNSAID,
    maxNameLength: 64,
    requirementsOf: () => ({ required: [], missing: [] }),
    lifecycleOf: (of) => {
      const state = of.status().state === "running" ? "invokable" : "unavailable";
      return { state, reason: state === "invokable" ? null : "It is down.", next: null, retryAfterMs: null };
    },
    ...options,
  });
  const find: Bench["find"] = (call, principal = OWNER) => {
    const order = {
      operation: "call",
      provider: null,
      providerHint: null,
      surface: null,
      asker: NOBODY,
      principal,
      door: "mcp",
      envelope: null,
    };
    return createSurface(sheets)({ ...order, ...call } as Identified).target;
  };
  return {
    registry,
    sheets,
    find,
    read: (name, more, principal) => {
      const target = find({ name, operation: "read", ...more }, principal);
      return `${target.provider.name} ${target.name}`;
    },
    listed: (principal = OWNER, on = null, view) =>
      (JSON.parse(sheets.of(principal, on, view)!.tools()) as { name: string }[]).map((item) => item.name),
  };
};

export const refusalOf = (run: () => unknown): Refusal => {
  try {
    run();
  } catch (no) {
    if (no instanceof Refusal) return no;
    throw no;
  }
  throw new Error("was not refused");
};
