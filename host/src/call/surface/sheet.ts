/**
 * The surface of one principal on one endpoint: a snapshot that is listed from and called from.
 */
import { hash } from "node:crypto";
import type { Capability } from "../../kernel/capability.ts";
import { HostError } from "../../kernel/host-error.ts";
import { isAllowedActor } from "../../kernel/is-allowed-actor.ts";
import { isInScope } from "../../kernel/may-name.ts";
import type { ParamHeader } from "../../kernel/param-headers.ts";
import type { Principal } from "../../kernel/principal.ts";
import type { ListedTool } from "../../kernel/provider.ts";
import { rawJson, type RawJson } from "../../kernel/raw-json.ts";
import type { Surface, ToolRow, View } from "../../kernel/surface.ts";
import type { Target } from "../../kernel/stages.ts";
import { resourcesName, splitFlatName } from "./flat-name.ts";
import { featuresOf } from "./features-of.ts";
import { instructionsOf } from "./instructions-of.ts";
import { paramHeadersOf } from "./param-headers-of.ts";
import { MoreList } from "./more-list.ts";
import { plainName } from "./plain-name.ts";
import type { Page } from "./render-provider.ts";
import { openProviderOf, type SheetResource } from "./render-resource.ts";
import type { SheetTool } from "./render-tool.ts";
import { searchTools } from "./search-tools.ts";

export interface SheetOptions {
  readonly pages: readonly Page[];
  /** Whose it is, or one who sees the same. */
  readonly principal: Pick<Principal, "scopes" | "id" | "subject">;
  /** Of the lists of allowed actors that it is in. */
  readonly actorClass: string;
  /** Set on one provider's own endpoint. */
  readonly provider: string | null;
  readonly view: View;
  readonly capabilityOf: (what: Pick<Target, "provider" | "tool" | "flatName">) => Capability;
  /** Behind an outward id that is not derived from it; null: there is none. */
  readonly flatNameOf: (id: string) => string | null;
}

export interface Sheet extends Surface {
  /** May this name be named at all by the key? */
  inScope(flat: string, id?: string): boolean;
  findTool(name: string): Target | null;
  /** By the id that the outside knows it by, and by no other name. */
  findCapability(id: string): Target | null;
  /** Behind an outward id that an overlay gives; null: none does. */
  flatNameOf(id: string): string | null;
  /** There is such a tool, which the key may name, and only others may act on it. */
  isBarred(name: string): boolean;
  /** Those of a page that are listed. */
  shown(page: Page): readonly SheetTool[];
  /** Of its resources, or of its templates. */
  shownOf(page: Page, entries: ReadonlyMap<string, SheetResource>): readonly SheetResource[];
  capabilityOf(entry: SheetTool): Capability;
  findPrompt(name: string): Target | null;
  /** Providers with a tool of this name that apps may call without a prefix. */
  providersForApps(name: string): readonly string[];
  readonly pages: readonly Page[];
  targetOf(page: Page, entry: { flat: string; name: string }): Target;
}

export const createSheet = (options: SheetOptions): Sheet => new SheetSnapshot(options);

interface Entry {
  readonly json: () => RawJson;
  readonly ownJson: () => RawJson;
}

const array = (items: readonly RawJson[]): RawJson => rawJson(`[${items.join(",")}]`);

class SheetSnapshot implements Sheet {
  readonly token: string;
  readonly settled: boolean;
  readonly pages: readonly Page[];
  readonly #options: SheetOptions;
  readonly #targets = new Map<string, Target>();
  readonly #lists = new Map<string, RawJson>();
  readonly #more: MoreList;
  readonly #byProvider: ReadonlyMap<string, Page>;

  constructor(options: SheetOptions) {
    this.#options = options;
    this.pages = options.pages;
    this.#more = new MoreList(options.provider !== null);
    this.settled = !options.pages.some((page) => page.starting);
    this.#byProvider = new Map(options.pages.map((page) => [page.provider.name, page]));
    const digests = options.pages.map((page) => page.digest);
    const { principal, actorClass, provider, view } = options;
    const seen = [digests, principal.scopes, provider, view.ui, ...(actorClass === "" ? [] : [actorClass])];
    this.token = `s1_${hash("sha256", JSON.stringify(seen)).slice(0, 24)}`;
  }

  inScope(flat: string, id?: string): boolean {
    return isInScope(this.#options.principal.scopes, flat, id);
  }

  /** Resources have no flat name: a key sees those of a provider whose every tool it may name. */
  #sees(page: Page): boolean {
    return this.inScope(`${page.provider.name}__*`);
  }

  /** What only apps may see is not there for a client that shows none: such a tool never reaches a model. */
  #shows(entry: SheetTool): boolean {
    return this.#offers(entry) && this.#mayAct(entry);
  }

  #offers({ visibility, flat, id }: SheetTool): boolean {
    return (visibility.model || this.#options.view.ui) && this.inScope(flat, id);
  }

  #mayAct({ overlaid }: SheetTool): boolean {
    return overlaid === null || isAllowedActor(overlaid.allowedActors, this.#options.principal);
  }

  shown(page: Page): readonly SheetTool[] {
    return [...page.tools.values()].filter((entry) => this.#shows(entry));
  }

  isBarred(name: string): boolean {
    const located = this.#locate(name) ?? this.#locateAlias(name);
    const entry = located?.page.tools.get(located.own);
    return entry !== undefined && this.#offers(entry) && !this.#mayAct(entry);
  }

  #list(key: string, entriesOf: (page: Page) => readonly RawJson[]): RawJson {
    const known = this.#lists.get(key);
    if (known !== undefined) return known;
    const list = array(this.pages.flatMap(entriesOf));
    this.#lists.set(key, list);
    return list;
  }

  #text(entry: Entry): RawJson {
    return this.#options.provider === null ? entry.json() : entry.ownJson();
  }

  /** What is no tool has no overlay of its own on the page. */
  #mayUse({ provider }: Page, flatName: string): boolean {
    const { capabilityOf, principal } = this.#options;
    return isAllowedActor(capabilityOf({ provider, tool: null, flatName }).allowedActors, principal);
  }

  #texts(page: Page, entries: ReadonlyMap<string, SheetResource>): readonly RawJson[] {
    return this.shownOf(page, entries).map((entry) => this.#text(entry));
  }

  shownOf(page: Page, entries: ReadonlyMap<string, SheetResource>): readonly SheetResource[] {
    if (entries.size === 0 || !this.#mayUse(page, resourcesName(page.provider.name))) return [];
    const isSeen = this.#sees(page);
    return [...entries.values()].filter(({ uri }) => isSeen || openProviderOf(uri) === page.provider.name);
  }

  #showsMore(page: Page): boolean {
    const { name, more } = page.provider;
    return more !== undefined && this.#sees(page) && this.#mayUse(page, resourcesName(name));
  }

  tools(): RawJson {
    return this.#list("tools", (page) => this.shown(page).map((entry) => this.#text(entry)));
  }

  prompts(): RawJson {
    return this.#list("prompts", (page) =>
      [...page.prompts.values()]
        .filter(({ flat }) => this.inScope(flat) && this.#mayUse(page, flat))
        .map((entry) => this.#text(entry)),
    );
  }

  resources(): RawJson {
    const listed = this.#list("resources", (page) => this.#texts(page, page.resources));
    const pages = this.pages.filter((page) => this.#showsMore(page));
    return this.#more.join(
      listed,
      pages.map(({ provider }) => provider),
    );
  }

  templates(): RawJson {
    return this.#list("templates", (page) => this.#texts(page, page.templates));
  }

  skills(): RawJson {
    return this.#list("skills", (page) => this.#texts(page, page.skills));
  }

  instructions(): string | null {
    return instructionsOf(
      this.pages.filter((page) => this.#sees(page)),
      this.#options.provider,
    );
  }

  has(): ReturnType<Surface["has"]> {
    return featuresOf(this.pages, this.#options.provider);
  }

  rows(query?: string, { satisfied = false }: { readonly satisfied?: boolean } = {}): readonly ToolRow[] {
    const shown = this.pages.flatMap((page) => this.shown(page));
    return searchTools(shown, { query, satisfied });
  }

  #locate(name: string): { page: Page; own: string } | null {
    const { provider } = this.#options;
    const split = provider === null ? splitFlatName(name) : { provider, name };
    const page = split && this.#byProvider.get(split.provider);
    if (!page || !(page.tools.has(split.name) || page.prompts.has(split.name))) return null;
    return { page, own: split.name };
  }

  /** An alias may be cut before the `__` that would tell whose it is. */
  #locateAlias(name: string): { page: Page; own: string } | null {
    for (const page of this.#options.provider === null ? this.pages : []) {
      const own = page.aliases.get(name);
      if (own !== undefined) return { page, own };
    }
    return null;
  }

  #pagesForApps(name: string): readonly Page[] {
    if (!this.#options.view.ui || this.#options.provider !== null) return [];
    return this.pages.filter((page) => {
      const entry = page.tools.get(name);
      return entry !== undefined && entry.visibility.app && this.#shows(entry);
    });
  }

  /** Apps call by bare names; that is safe only as long as one provider can be meant. */
  #locateForApp(name: string): { page: Page; own: string } | null {
    const [page, second] = this.#pagesForApps(name);
    return page && !second ? { page, own: name } : null;
  }

  providersForApps(name: string): readonly string[] {
    return this.#pagesForApps(name).map((page) => page.provider.name);
  }

  findTool(name: string): Target | null {
    const known = this.#targets.get(name);
    if (known) return known;
    const located = this.#locate(name) ?? this.#locateAlias(name) ?? this.#locateForApp(name);
    const entry = located?.page.tools.get(located.own);
    if (!located || !entry || !this.#shows(entry)) return null;
    const { page } = located;
    const target = this.#target(page, { flat: entry.flat, name: entry.tool.name, tool: entry.tool });
    this.#targets.set(name, target);
    return target;
  }

  flatNameOf(id: string): string | null {
    return this.#options.flatNameOf(id);
  }

  findCapability(id: string): Target | null {
    const alias = this.flatNameOf(id);
    const found = this.#named(alias ?? id, id);
    return found ?? (alias === null && id.includes(":") ? this.#named(plainName(id), id) : null);
  }

  #named(flat: string, id: string): Target | null {
    const target = this.findTool(flat);
    return target?.flatName === flat && target.capability.id === id ? target : null;
  }

  capabilityOf(entry: SheetTool): Capability {
    const page = this.#byProvider.get(entry.provider);
    if (!page) throw new HostError(`${entry.flat} is of another sheet`);
    return this.#options.capabilityOf({ provider: page.provider, tool: entry.tool, flatName: entry.flat });
  }

  tool(flat: string): ListedTool | null {
    const target = this.findTool(flat);
    return target?.flatName === flat ? target.tool : null;
  }

  paramHeaders(tool: string): readonly ParamHeader[] {
    return paramHeadersOf(this.findTool(tool)?.tool);
  }

  findPrompt(name: string): Target | null {
    const located = this.#locate(name);
    const entry = located?.page.prompts.get(located.own);
    return located && entry && this.inScope(entry.flat) ? this.targetOf(located.page, entry) : null;
  }

  targetOf(page: Page, entry: { flat: string; name: string }): Target {
    return this.#target(page, { ...entry, tool: null });
  }

  #target(page: Page, entry: { flat: string; name: string; tool: Target["tool"] }): Target {
    const { flat, name, tool } = entry;
    const { provider } = page;
    const capability = this.#options.capabilityOf({ provider, tool, flatName: flat });
    return { provider, name, flatName: flat, tool, surface: this.token, capability };
  }
}
