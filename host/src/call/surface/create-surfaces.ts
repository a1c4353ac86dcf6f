/**
 * Keeps one sheet per (scopes, endpoint) for as long as nothing changes. The one registry is behind all of them.
 */
import { matchesGlob } from "../../kernel/glob.ts";
import type { Principal } from "../../kernel/principal.ts";
import type { Surfaces } from "../../kernel/surface.ts";
import type { Provider } from "../../kernel/provider.ts";
import type { Registry } from "./registry.ts";
import { renderProvider, type Page, type RenderOptions } from "./render-provider.ts";
import { createSheet, type Sheet } from "./sheet.ts";

export interface Sheets extends Surfaces {
  of(principal: Principal, provider: string | null): Sheet | null;
}

export const createSurfaces = (registry: Registry, options: RenderOptions): Sheets => {
  const sheets = new Map<string, Sheet>();
  const pages = new WeakMap<Provider, { page: Page; status: string }>();
  let version = -1;

  /** A page stands until its provider lists something else or is in another state. */
  const pageOf = (provider: Provider): Page => {
    const { state, reason, version: stated } = provider.status();
    const status = JSON.stringify([state, reason, stated]);
    const known = pages.get(provider);
    if (known && known.status === status && known.page.catalogue === provider.catalogue()) return known.page;
    const page = renderProvider(provider, options);
    pages.set(provider, { page, status });
    return page;
  };

  const make = (scopes: readonly string[] | null, provider: string | null): Sheet | null => {
    const shown = provider === null ? registry.providers() : [registry.get(provider)].filter((found) => found !== null);
    if (shown.length === 0 && provider !== null) return null;
    return createSheet({ pages: shown.map(pageOf), scopes, provider });
  };

  const of = (principal: Principal, provider: string | null): Sheet | null => {
    if (registry.version() !== version) {
      version = registry.version();
      sheets.clear();
    }
    const key = `${provider ?? ""}\n${principal.scopes === null ? "" : JSON.stringify(principal.scopes)}`;
    const known = sheets.get(key);
    if (known) return known;
    const sheet = make(principal.scopes, provider);
    if (sheet) sheets.set(key, sheet);
    return sheet;
  };

  return {
    of,
    providers(principal) {
      const sheet = principal && principal.scopes !== null ? of(principal, null) : null;
      if (!sheet) return registry.providers().map((provider) => rowOf(provider, provider.catalogue().tools.length));
      const scopes = principal?.scopes ?? [];
      return sheet.pages.flatMap((page) => {
        const tools = countInScope(sheet, page.tools);
        const seen = tools + countInScope(sheet, page.prompts) > 0 || mayName(scopes, page.provider.name);
        return seen ? [rowOf(page.provider, tools)] : [];
      });
    },
    onChange: (listener) => registry.onChange(listener),
  };
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

/** Before a provider has listed anything, a scope that begins with its name tells as much. */
const mayName = (scopes: readonly string[], provider: string): boolean =>
  scopes.some((scope) => scope.startsWith(`${provider}__`) || matchesGlob(scope, `${provider}__*`));
