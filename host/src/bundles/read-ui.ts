/**
 * What a bundle's manifest says about its pages: the name and icon it is shown under, and where each page wants to stand. A
 * placement that is not as it should be is dropped by itself, with a warning; a block without a name surfaces nothing. Pure.
 */
import { isObject, shown } from "./shapes.ts";

export interface Placement {
  readonly slot: string;
  readonly resourceUri: string;
  readonly priority: number;
  readonly label?: string;
  readonly icon?: string;
  readonly route?: string;
  readonly size?: "compact" | "full" | "auto";
}

export interface BundleUi {
  readonly name: string;
  readonly icon: string;
  readonly primaryView?: { readonly resourceUri: string };
}

export interface UiReading {
  readonly ui: BundleUi | null;
  readonly placements: readonly Placement[];
  readonly warnings: readonly string[];
}

const BLOCKS = ["ai.nimblebrain/host", "ai.nimblebrain/platform", "ai.nimblebrain/synapse"];
const MEMBERS = new Set(["slot", "resourceUri", "priority", "label", "icon", "route", "size"]);
const SLOT = /^(?:sidebar(?:\.[a-z0-9-]{1,64})?|main|settings|toolbar\.right)$/;
const PAGE = /^ui:\/\/([^/?#\s]+)(\/[^?#\s]*)?$/;
const ROUTE = /^[a-z0-9][a-z0-9/_-]{0,127}$/i;
const SIZES: ReadonlySet<unknown> = new Set(["compact", "full", "auto"]);
const MAX_LABEL = 128;
const DEFAULT_PRIORITY = 100;
const NEUTRAL_ICON = "box";
const NOTHING: UiReading = { ui: null, placements: [], warnings: [] };

export const readUi = (meta: unknown, provider: string): UiReading => {
  const block = isObject(meta) ? BLOCKS.map((key) => meta[key]).find(isObject) : undefined;
  const name = block?.["name"];
  if (block === undefined || typeof name !== "string" || name.trim() === "") return NOTHING;
  const warnings: string[] = [];
  const icon = typeof block["icon"] === "string" ? block["icon"].slice(0, MAX_LABEL) : NEUTRAL_ICON;
  const primary = pageOf(block["primaryView"]);
  const wanted = [...listOf(block["placements"]), ...settingsOf(block["settings"])];
  const placements = readPlacements(wanted, warnings);
  if (primary !== null && !placements.some(({ slot }) => slot === "main")) {
    placements.push({ slot: "main", resourceUri: primary, priority: DEFAULT_PRIORITY, route: provider });
  }
  const ui = { name: name.slice(0, MAX_LABEL), icon };
  return {
    ui: primary === null ? ui : { ...ui, primaryView: { resourceUri: primary } },
    placements: placements.toSorted((a, b) => compare(a.slot, b.slot) || a.priority - b.priority),
    warnings,
  };
};

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value.slice(0, 100) : []);

const settingsOf = (value: unknown): readonly unknown[] => {
  if (!isObject(value)) return [];
  const { label, icon, resourceUri } = value;
  return [{ slot: "settings", resourceUri, label, icon }];
};

const pageOf = (view: unknown): string | null => {
  const uri = isObject(view) ? view["resourceUri"] : null;
  return typeof uri === "string" && PAGE.test(uri) && !uri.includes("..") ? uri : null;
};

const readPlacements = (wanted: readonly unknown[], warnings: string[]): Placement[] => {
  const placements: Placement[] = [];
  let authority: string | null = null;
  wanted.forEach((value, index) => {
    const read = readPlacement(value, authority);
    if (typeof read === "string") warnings.push(`placement ${index + 1} is left out: ${read}`);
    else {
      authority ??= authorityOf(read.resourceUri);
      placements.push(read);
    }
  });
  return placements;
};

/** Null for a page without a path, which binds nobody to its authority. */
const authorityOf = (uri: string): string | null => {
  const match = PAGE.exec(uri);
  return match?.[2] === undefined ? null : (match[1] ?? null);
};

/** The placement, or why it is none. */
const readPlacement = (value: unknown, authority: string | null): Placement | string => {
  if (!isObject(value)) return `it is no object (found ${shown(value)})`;
  const stranger = Object.keys(value).find((key) => !MEMBERS.has(key));
  if (stranger !== undefined) return `it has an unknown member "${stranger.slice(0, 60)}"`;
  const { slot, resourceUri, priority = DEFAULT_PRIORITY, label, icon, route, size } = value;
  if (typeof slot !== "string" || !SLOT.test(slot)) return `there is no slot ${shown(slot)}`;
  const match = typeof resourceUri === "string" ? PAGE.exec(resourceUri) : null;
  if (match === null || match[0].includes(".."))
    return `resourceUri must be ui://authority/path (found ${shown(resourceUri)})`;
  if (match[2] !== undefined && authority !== null && match[1] !== authority) {
    return `its page is of another authority than the first one's, ${authority}`;
  }
  if (slot === "main" && (typeof route !== "string" || !ROUTE.test(route))) return `slot main needs a route`;
  if (typeof priority !== "number" || !Number.isFinite(priority)) return `priority must be a number`;
  return {
    slot,
    resourceUri: match[0],
    priority,
    ...(typeof label === "string" ? { label: label.slice(0, MAX_LABEL) } : {}),
    ...(typeof icon === "string" ? { icon: icon.slice(0, MAX_LABEL) } : {}),
    ...(typeof route === "string" ? { route } : {}),
    ...(SIZES.has(size) ? { size: size as "compact" | "full" | "auto" } : {}),
  };
};
