/**
 * What one principal may see and call now. Listing and calling read the same object.
 */
import type { Declared } from "./ask.ts";
import type { ParamHeader } from "./param-headers.ts";
import type { Principal } from "./principal.ts";
import type { RawJson } from "./raw-json.ts";
import type { ListedTool, ProviderStatus } from "./provider.ts";

export interface ToolRow {
  /** Flat name, `provider__tool`. */
  readonly name: string;
  readonly provider: string;
  readonly title: string | null;
  readonly description: string | null;
  readonly state:
    | "declared"
    | "invokable"
    | "hosted"
    | "discoverable"
    | "deprecated"
    | "suspended"
    | "disabled"
    | "unavailable";
  readonly reason: string | null;
  readonly next: string | null;
  readonly definition: string;
  /** Environment capabilities, as the gate sees them. */
  readonly required: readonly string[];
  readonly missing: readonly string[];
}

/** What a client said of itself that changes what it is shown. */
export interface View {
  /** It shows apps, so it also gets the tools that are for apps only, and its apps may call by bare names. */
  readonly ui: boolean;
}

export const PLAIN_VIEW: View = Object.freeze({ ui: false });
const UI_VIEW: View = Object.freeze({ ui: true });
const UI_EXTENSION = "io.modelcontextprotocol/ui";

export const viewOf = ({ value }: Pick<Declared, "value">): View => {
  const extensions = value["extensions"] as Readonly<Record<string, unknown>> | null | undefined;
  const ui = typeof extensions === "object" && extensions !== null ? extensions[UI_EXTENSION] : null;
  return typeof ui === "object" && ui !== null ? UI_VIEW : PLAIN_VIEW;
};

/** Serialised lists, each a JSON array as it goes onto the wire, made once per surface. */
export interface Surface {
  readonly token: string;
  /** False while any provider it shows is starting: then lists carry ttlMs 0. */
  readonly settled: boolean;
  tools(): RawJson;
  prompts(): RawJson;
  resources(): RawJson;
  templates(): RawJson;
  /** Entries of skills, as `skills/list` gives them out. */
  skills(): RawJson;
  /** The host's text, then each provider's under its name; null when there is none. */
  instructions(): string | null;
  /** What the endpoint has at all, for `capabilities`. */
  has(): {
    readonly tools: boolean;
    readonly prompts: boolean;
    readonly resources: boolean;
    readonly completions: boolean;
    readonly skills: boolean;
    readonly directories: boolean;
  };
  /** `satisfied`: only those of which nothing is missing. */
  rows(query?: string, filter?: { readonly satisfied?: boolean }): readonly ToolRow[];
  /** By its flat name; null: there is none for this principal. */
  tool(flat: string): ListedTool | null;
  /** What calls of a tool repeat in headers; none for a tool that is not there. */
  paramHeaders(tool: string): readonly ParamHeader[];
}

export interface WatchOrder {
  readonly principal: Principal;
  readonly provider: string | null;
  readonly uri: string;
}

export interface Surfaces {
  /**
   * The surface of a principal on `/mcp` (provider null) or on one provider's endpoint; null: no such provider to see. The
   * view is `viewOf` what the client declared, the same for its lists and its calls; default: a client without apps.
   */
  of(principal: Principal, provider: string | null, view?: View): Surface | null;
  /**
   * All there are in the default workspace, or those of its own of which this principal may name something, with as many
   * tools as it sees.
   */
  providers(
    principal?: Principal,
  ): readonly { readonly name: string; readonly status: ProviderStatus; readonly tools: number }[];
  /**
   * Tells when a resource that this principal may read is not what it was, until the returned function is called. The URI
   * is the one of the endpoint. Null: nobody can say.
   */
  watch(order: WatchOrder, updated: () => void): (() => void) | null;
  /** Called after any change, with its workspace; returns the function that ends it. At most once in 50 ms for each. */
  onChange(listener: (workspace: string) => void): () => void;
}
