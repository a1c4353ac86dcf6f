/**
 * One page of a list. Lists go out whole; only above 5 000 entries they are cut, and a cursor then names the surface it
 * belongs to, so that a page of an older surface is refused instead of mixed in.
 */
import type { RawJson } from "../kernel/raw-json.ts";
import { itemsOf } from "../kernel/scan-json.ts";
import type { Surface } from "../kernel/surface.ts";
import { doorRefusal, type DoorRefusal } from "./door-refusal.ts";
import type { Feature } from "./describe-host.ts";
import { wrapOutputSchemas } from "./wrap-output-schemas.ts";

type Era = "legacy" | "modern";
type ListName = "tools" | "prompts" | "resources" | "templates" | "skills";

export interface ListMethod {
  readonly list: ListName;
  /** The member of the result. */
  readonly member: string;
  readonly feature: Feature;
}

export const LIST_METHODS: ReadonlyMap<string, ListMethod> = new Map([
  ["tools/list", { list: "tools", member: "tools", feature: "tools" }],
  ["prompts/list", { list: "prompts", member: "prompts", feature: "prompts" }],
  ["resources/list", { list: "resources", member: "resources", feature: "resources" }],
  ["skills/list", { list: "skills", member: "skills", feature: "skills" }],
  ["resources/templates/list", { list: "templates", member: "resourceTemplates", feature: "resources" }],
]);

const PAGE = 5000;
/** No entry is shorter, so a text below `PAGE` of them needs no counting. */
const SHORTEST_ENTRY = 12;

const pagesOfSurface = new WeakMap<Surface, Map<string, readonly string[]>>();

const cut = (json: RawJson): readonly string[] => {
  if (json.length < PAGE * SHORTEST_ENTRY) return [json];
  const items = itemsOf(json);
  if (items.length <= PAGE) return [json];
  const pages: string[] = [];
  for (let i = 0; i < items.length; i += PAGE) {
    const first = items[i];
    const last = items[Math.min(i + PAGE, items.length) - 1];
    if (first && last) pages.push(`[${json.slice(first.start, last.end)}]`);
  }
  return pages;
};

const pagesOf = (surface: Surface, list: ListName, era: Era): readonly string[] => {
  const known = pagesOfSurface.get(surface) ?? new Map<string, readonly string[]>();
  pagesOfSurface.set(surface, known);
  const key = `${era} ${list}`;
  const pages = known.get(key) ?? cut(textOf(surface, list, era));
  known.set(key, pages);
  return pages;
};

const textOf = (surface: Surface, list: ListName, era: Era): RawJson =>
  list === "tools" && era === "legacy" ? wrapOutputSchemas(surface.tools()) : surface[list]();

const cursorOf = (surface: Surface, list: ListName, page: number): string =>
  Buffer.from(`${surface.token}\n${list}\n${page}`).toString("base64url");

export interface PageOrder {
  readonly cursor: unknown;
  readonly era: Era;
}

/** The members of the result: the list, and the cursor when there is more. */
export const listPage = (surface: Surface, method: ListMethod, { cursor, era }: PageOrder): string | DoorRefusal => {
  const { list, member } = method;
  const pages = pagesOf(surface, list, era);
  const index =
    cursor === undefined ? 0 : pages.findIndex((_, page) => page > 0 && cursor === cursorOf(surface, list, page));
  const page = pages[index];
  if (page === undefined) {
    return doorRefusal("bad_request", {
      code: -32602,
      status: 200,
      message: "This cursor belongs to an older list, or to none.",
      next: `List again without a cursor.`,
    });
  }
  const more = index + 1 < pages.length ? `,"nextCursor":"${cursorOf(surface, list, index + 1)}"` : "";
  return `"${member}":${page}${more}`;
};
