/**
 * The surfaces of one workspace. Keeps one sheet per (scopes, endpoint, view) for as long as nothing changes. The one
 * registry is behind all of them.
 */
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
import { createSheet, type Sheet } from "./sheet.ts";

export interface Sheets extends Omit<Surfaces, "onChange"> {
  of(principal: Principal, provider: string | null, view?: View): Sheet | null;
}

export interface SurfacesOptions extends Omit<RenderOptions, "owners"> {
  /** Default: URIs have owners only until the host stops. */
  readonly owners?: UriOwners;
}

/** They are made again in no time; this only bounds what many principals leave behind. */
const MAX_SHEETS = 1_000;

const seenBy = (provider: Provider, principal: Principal): Provider => provider.of?.(principal) ?? provider;

export const createSurfaces = (registry: Registry, options: SurfacesOptions): Sheets => {
  const rules: RenderOptions = { ...options, owners: options.owners ?? new UriOwners() };
  const claimUris = createClaimUris(rules.owners);
  const sheets = { plain: new Map<string, Sheet>(), ui: new Map<string, Sheet>() };
  const pages = new WeakMap<Provider, { page: Page; status: string }>();
  let version = -1;
  /** Some provider is not the same for every principal. */
  let personal = false;

  /** Also when nobody looks: whoever lists a URI first is to have it. */
  const settle = (): void => {
    if (registry.version() === version) return;
    version = registry.version();
    sheets.plain.clear();
    sheets.ui.clear();
    personal = registry.providers().some((provider) => provider.of !== undefined);
    claimUris(registry.providers());
  };
  registry.onChange(settle);

  /** A page stands until its provider lists something else or is in another state. */
  const pageOf = (provider: Provider): Page => {
    const { state, reason, version: stated } = provider.status();
    const status = JSON.stringify([state, reason, stated]);
    const known = pages.get(provider);
    if (known && known.status === status && known.page.catalogue === provider.catalogue()) return known.page;
    const page = renderProvider(provider, rules);
    pages.set(provider, { page, status });
    return page;
  };

  const make = (principal: Principal, provider: string | null, view: View): Sheet | null => {
    const shown = provider === null ? registry.providers() : [registry.get(provider)].filter((found) => found !== null);
    if (shown.length === 0 && provider !== null) return null;
    return createSheet({
      pages: shown.map((each) => pageOf(seenBy(each, principal))),
      scopes: principal.scopes,
      provider,
      view,
    });
  };

  const of = (principal: Principal, provider: string | null, view: View = PLAIN_VIEW): Sheet | null => {
    settle();
    const kept = view.ui ? sheets.ui : sheets.plain;
    const shared = `${provider ?? ""}\n${principal.scopes === null ? "" : JSON.stringify(principal.scopes)}`;
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
    providers(principal) {
      const sheet = principal && principal.scopes !== null ? of(principal, null) : null;
      if (!sheet) {
        const seen = registry.providers().map((provider) => (principal ? seenBy(provider, principal) : provider));
        return seen.map((provider) => rowOf(provider, provider.catalogue().tools.length));
      }
      const scopes = principal?.scopes ?? [];
      return sheet.pages.flatMap((page) => {
        const tools = countInScope(sheet, page.tools);
        // Before a provider has listed anything, a scope that begins with its name tells as much.
        const seen = tools + countInScope(sheet, page.prompts) > 0 || mayName(scopes, page.provider.name);
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
const watched = ({ provider, uri }: WatchOrder, sheet: Sheet | null): Target | null => {
  try {
    return sheet && resolveResource({ name: uri, provider, providerHint: null }, sheet);
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
