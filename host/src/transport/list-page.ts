/**
 * One page of a list. Lists go out whole; only above 5 000 entries they are cut, and a cursor then names the list it
 * belongs to, so that a page of an older one is refused instead of mixed in.
 */
import { hash } from "node:crypto";
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

interface Pages {
  /** What was cut. */
  readonly json: RawJson;
  readonly pages: readonly string[];
  /** Of a list that is cut; a surface may list other resources under the same token. */
  readonly digest: string;
}

const pagesOfSurface = new WeakMap<Surface, Map<string, Pages>>();

const cut = (json: RawJson): Pages => {
  if (json.length < PAGE * SHORTEST_ENTRY) return { json, pages: [json], digest: "" };
  const items = itemsOf(json);
  if (items.length <= PAGE) return { json, pages: [json], digest: "" };
  const pages: string[] = [];
  for (let i = 0; i < items.length; i += PAGE) {
    const first = items[i];
    const last = items[Math.min(i + PAGE, items.length) - 1];
    if (first && last) pages.push(`[${json.slice(first.start, last.end)}]`);
  }
  return { json, pages, digest: hash("sha256", json).slice(0, 16) };
};

const pagesOf = (surface: Surface, list: ListName, era: Era): Pages => {
  const known = pagesOfSurface.get(surface) ?? new Map<string, Pages>();
  pagesOfSurface.set(surface, known);
  const key = `${era} ${list}`;
  const kept = known.get(key);
  // Resources may be other ones on the same surface.
  if (kept !== undefined && (list !== "resources" || kept.json === surface.resources())) return kept;
  const pages = cut(textOf(surface, list, era));
  known.set(key, pages);
  return pages;
};

const textOf = (surface: Surface, list: ListName, era: Era): RawJson =>
  list === "tools" && era === "legacy" ? wrapOutputSchemas(surface.tools()) : surface[list]();

const cursorOf = (token: string, { list, digest }: { list: ListName; digest: string }, page: number): string =>
  Buffer.from(`${token}\n${list}\n${digest}\n${page}`).toString("base64url");

export interface PageOrder {
  readonly cursor: unknown;
  readonly era: Era;
}

/** The members of the result: the list, and the cursor when there is more. */
export const listPage = (surface: Surface, method: ListMethod, { cursor, era }: PageOrder): string | DoorRefusal => {
  const { list, member } = method;
  const { pages, digest } = pagesOf(surface, list, era);
  const cursorAt = (page: number): string => cursorOf(surface.token, { list, digest }, page);
  const index = cursor === undefined ? 0 : pages.findIndex((_, page) => page > 0 && cursor === cursorAt(page));
  const page = pages[index];
  if (page === undefined) {
    return doorRefusal("bad_request", {
      code: -32602,
      status: 200,
      message: "This cursor belongs to an older list, or to none.",
      next: `List again without a cursor.`,
    });
  }
  const more = index + 1 < pages.length ? `,"nextCursor":"${cursorAt(index + 1)}"` : "";
  return `"${member}":${page}${more}`;
};
