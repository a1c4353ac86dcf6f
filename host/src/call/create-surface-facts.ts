/** Tells what a caller may know of its tools and resources, from the same sheet that it lists and calls from; once per sheet. */
import type { SeenUri, SurfaceFacts, SurfaceFactsOf, ToolFacts } from "../kernel/tool-facts.ts";
import { listedName } from "./surface/flat-name.ts";
import type { Page } from "./surface/render-provider.ts";
import type { SheetResource } from "./surface/render-resource.ts";
import type { SheetTool } from "./surface/render-tool.ts";
import type { Sheet } from "./surface/sheet.ts";
import type { SheetsOf } from "./surface/surface.ts";

export const createSurfaceFacts = (sheets: SheetsOf, maxNameLength: number): SurfaceFactsOf => {
  const known = new WeakMap<Sheet, SurfaceFacts>();
  return (principal, endpoint) => {
    const sheet = sheets.of(principal, endpoint);
    if (sheet === null) return null;
    const nameOf = ({ flat, tool }: SheetTool): string =>
      endpoint === null ? listedName(flat, maxNameLength) : tool.name;
    const facts = known.get(sheet) ?? new Facts(sheet, { nameOf, isOwn: endpoint !== null });
    known.set(sheet, facts);
    return facts;
  };
};

class Facts implements SurfaceFacts {
  readonly surface: Sheet;
  readonly tools: readonly ToolFacts[];
  readonly #isOwn: boolean;
  #uris: readonly SeenUri[] | null = null;

  constructor(sheet: Sheet, { nameOf, isOwn }: { nameOf: (entry: SheetTool) => string; isOwn: boolean }) {
    this.surface = sheet;
    this.tools = sheet.pages.flatMap((page) =>
      sheet.shown(page).map((entry) => toolFacts(entry, { name: nameOf(entry), sheet })),
    );
    this.#isOwn = isOwn;
  }

  uris(): readonly SeenUri[] {
    return (this.#uris ??= this.surface.pages.flatMap((page) => [
      ...this.#seen(page, page.resources, "uri"),
      ...this.#seen(page, page.templates, "uriTemplate"),
    ]));
  }

  #seen(page: Page, entries: Page["resources"], key: "uri" | "uriTemplate"): readonly SeenUri[] {
    const { provider } = page;
    const readable = provider.status().state === "running";
    const own = this.surface.shownOf(page, entries).filter(({ claim }) => claim === "own");
    return own.map((entry) => {
      const shown = read(entry, this.#isOwn);
      const { mimeType } = shown;
      return {
        provider: provider.name,
        uri: String(shown[key]),
        isTemplate: key === "uriTemplate",
        mimeType: typeof mimeType === "string" ? mimeType : null,
        readable,
      };
    });
  }
}

type Shown = Readonly<Record<string, unknown>>;
const parsed = { own: new WeakMap<SheetResource, Shown>(), joined: new WeakMap<SheetResource, Shown>() };

/** An entry stays the same object for as long as its provider lists it. */
const read = (entry: SheetResource, isOwn: boolean): Shown => {
  const kept = isOwn ? parsed.own : parsed.joined;
  const known = kept.get(entry) ?? (JSON.parse(isOwn ? entry.ownJson() : entry.json()) as Shown);
  kept.set(entry, known);
  return known;
};

const toolFacts = (entry: SheetTool, { name, sheet }: { name: string; sheet: Sheet }): ToolFacts => {
  const { flat, id, tool, provider, lifecycle, requirements } = entry;
  const { version, risk, approvalRequired, timeoutMs } = sheet.capabilityOf(entry);
  return {
    name,
    flatName: flat,
    id,
    provider,
    tool,
    version,
    lifecycle,
    required: requirements?.required ?? [],
    missing: requirements?.missing ?? [],
    risk,
    approvalRequired,
    timeoutMs,
  };
};
