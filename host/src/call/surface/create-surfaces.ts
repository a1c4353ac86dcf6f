/**
 * The surfaces of one workspace. Keeps one sheet per (scopes, endpoint, view) for as long as nothing changes. The one
 * registry is behind all of them.
 */
import type { CapabilityRules } from "../../kernel/capability-rules.ts";
import { isAllowedActor } from "../../kernel/is-allowed-actor.ts";
import { mayName } from "../../kernel/may-name.ts";
import type { Principal } from "../../kernel/principal.ts";
import { principalName } from "../../kernel/principal-name.ts";
import { PLAIN_VIEW, type Surfaces, type View, type WatchOrder } from "../../kernel/surface.ts";
import type { Provider } from "../../kernel/provider.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { Target } from "../../kernel/stages.ts";
import { UriOwners } from "../../kernel/uri-owners.ts";
import { createClaimUris } from "./claim-uris.ts";
import type { Registry } from "./registry.ts";
import { renderProvider, type Page, type RenderOptions } from "./render-provider.ts";
import { resolveResource } from "./resolve-resource.ts";
import { createSheet, type Sheet, type SheetOptions } from "./sheet.ts";

export interface Sheets extends Omit<Surfaces, "onChange"> {
  of(principal: Principal, provider: string | null, view?: View): Sheet | null;
  /** Of all providers, as they are without a principal. */
  pages(): readonly Page[];
}

export interface SurfacesOptions extends Omit<RenderOptions, "owners" | "overlaidOf"> {
  readonly workspace: string;
  readonly capabilities: CapabilityRules;
  /** Default: URIs have owners only until the host stops. */
  readonly owners?: UriOwners;
}

/** They are made again in no time; this only bounds what many principals leave behind. */
const MAX_SHEETS = 1_000;

const seenBy = (provider: Provider, principal: Principal): Provider => provider.of?.(principal) ?? provider;

export const createSurfaces = (registry: Registry, options: SurfacesOptions): Sheets => {
  const { capabilities, workspace } = options;
  const capabilityOf: SheetOptions["capabilityOf"] = (what) => capabilities.capabilityOf(workspace, what);
  const rules: RenderOptions = {
    ...options,
    owners: options.owners ?? new UriOwners(),
    overlaidOf: (provider, tool, flatName) =>
      capabilities.isOverlaid(workspace, flatName) ? capabilityOf({ provider, tool, flatName }) : null,
  };
  const claimUris = createClaimUris(rules.owners);
  const sheets = { plain: new Map<string, Sheet>(), ui: new Map<string, Sheet>() };
  const pages = new WeakMap<Provider, { page: Page; status: string }>();
  let version = -1;
  let generation = -1;
  /** When a page becomes another one by itself. */
  let turnsAt = Infinity;
  /** Some provider is not the same for every principal. */
  let personal = false;

  /** Also when nobody looks: whoever lists a URI first is to have it. */
  const settle = (): void => {
    const current = capabilities.generation(workspace);
    if (registry.version() === version && current === generation && Date.now() < turnsAt) return;
    version = registry.version();
    generation = current;
    turnsAt = Infinity;
    sheets.plain.clear();
    sheets.ui.clear();
    personal = registry.providers().some((provider) => provider.of !== undefined);
    claimUris(registry.providers());
  };
  registry.onChange(settle);

  /** A page stands until its provider lists something else or is in another state. */
  const pageOf = (provider: Provider): Page => {
    const { state, reason, version: stated } = provider.status();
    const status = JSON.stringify([state, reason, stated, generation]);
    const known = pages.get(provider);
    const same = known?.status === status && known.page.catalogue === provider.catalogue();
    const page = same && Date.now() < known.page.turnsAt ? known.page : renderProvider(provider, rules);
    if (page !== known?.page) pages.set(provider, { page, status });
    turnsAt = Math.min(turnsAt, page.turnsAt);
    return page;
  };

  const make = (principal: Principal, provider: string | null, view: View): Sheet | null => {
    const shown = provider === null ? registry.providers() : [registry.get(provider)].filter((found) => found !== null);
    if (shown.length === 0 && provider !== null) return null;
    return createSheet({
      pages: shown.map((each) => pageOf(seenBy(each, principal))),
      principal,
      actorClass: capabilities.actorClass(workspace, principal),
      provider,
      flatNameOf: (id) => capabilities.flatNameOf(workspace, id),
      capabilityOf,
      view,
    });
  };

  const of = (principal: Principal, provider: string | null, view: View = PLAIN_VIEW): Sheet | null => {
    settle();
    const kept = view.ui ? sheets.ui : sheets.plain;
    const scopes = principal.scopes === null ? "" : JSON.stringify(principal.scopes);
    const shared = `${provider ?? ""}\n${scopes}\n${capabilities.actorClass(workspace, principal)}`;
    const key = personal ? `${shared}\n${principalName(principal)}` : shared;
    const known = kept.get(key);
    if (known) return known;
    const sheet = make(principal, provider, view);
    if (kept.size >= MAX_SHEETS) kept.clear();
    if (sheet) kept.set(key, sheet);
    return sheet;
  };

  return {
    of,
    pages: () => {
      settle();
      return registry.providers().map(pageOf);
    },
    providers(principal) {
      const cut = principal && (principal.scopes !== null || capabilities.actorClass(workspace, principal) !== "");
      const sheet = cut ? of(principal, null) : null;
      if (!sheet) {
        const seen = registry.providers().map((provider) => (principal ? seenBy(provider, principal) : provider));
        return seen.map((provider) => rowOf(provider, provider.catalogue().tools.length));
      }
      const scopes = principal?.scopes ?? null;
      return sheet.pages.flatMap((page) => {
        const tools = sheet.shown(page).length;
        // Before a provider has listed anything, a scope that begins with its name tells as much.
        const named = scopes === null || mayName(scopes, page.provider.name);
        const seen = named || tools + countInScope(sheet, page.prompts) > 0;
        return seen ? [rowOf(page.provider, tools)] : [];
      });
    },
    watch(order, updated) {
      const target = watched(order, of(order.principal, order.provider));
      return (target && target.provider.watch(target.name, updated)) || null;
    },
  };
};

/** Resolved as a read of it would be; null: nobody would answer that. */
const watched = ({ provider, uri, principal }: WatchOrder, sheet: Sheet | null): Target | null => {
  try {
    const target = sheet && resolveResource({ name: uri, provider, providerHint: null }, sheet);
    return target && isAllowedActor(target.capability.allowedActors, principal) ? target : null;
  } catch (no) {
    if (no instanceof Refusal) return null;
    throw no;
  }
};

const rowOf = (provider: Provider, tools: number): ReturnType<Surfaces["providers"]>[number] => ({
  name: provider.name,
  status: provider.status(),
  tools,
});

const countInScope = (sheet: Sheet, entries: ReadonlyMap<string, { readonly flat: string }>): number => {
  let count = 0;
  for (const { flat } of entries.values()) if (sheet.inScope(flat)) count++;
  return count;
};
