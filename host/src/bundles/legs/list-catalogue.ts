/**
 * Reads every list that a server offers, all pages. Each entry is kept as the text that came, beside the same parsed.
 * What cannot be served is left out and named in `defects`; one broken entry never costs the others.
 */
import type { Catalogue } from "../../kernel/provider.ts";
import { itemsOf, sliceJson } from "../../kernel/scan-json.ts";
import type { Correlator } from "./correlator.ts";
import type { Opening } from "./handshake.ts";
import { readEntries, toPrompt, toResource, toTemplate, toTool, type Pages, type RawEntry } from "./list-entry.ts";
import { readSkills } from "./read-skills.ts";
import { isObject, lastMember, type JsonObject, type Reply } from "./read-message.ts";

const MAX_PAGES = 100;
const MAX_ITEMS = 10_000;
const METHOD_NOT_FOUND = -32601;

interface Listing {
  readonly method: string;
  /** Where the entries stand in the result. */
  readonly member: string;
}
const TOOLS: Listing = { method: "tools/list", member: "tools" };
const PROMPTS: Listing = { method: "prompts/list", member: "prompts" };
const RESOURCES: Listing = { method: "resources/list", member: "resources" };
const TEMPLATES: Listing = { method: "resources/templates/list", member: "resourceTemplates" };
const SKILLS: Listing = { method: "skills/list", member: "skills" };

export interface ListOptions {
  readonly correlator: Correlator;
  readonly opening: Opening;
  readonly signal: AbortSignal;
}

export const listCatalogue = async (options: ListOptions): Promise<Catalogue> => {
  const { capabilities, instructions } = options.opening;
  const offers = (name: string): boolean => capabilities === null || isObject(capabilities[name]);
  const budget = { bytes: options.correlator.limits.maxMessageBytes };
  const read = (listing: Listing, offered: boolean): Promise<Pages> =>
    offered ? readPages(listing, { ...options, budget }) : Promise.resolve(NO_PAGES);
  /** A server without prompts or resources is of use, so only the list of tools may fail the whole. */
  const attempt = (listing: Listing, offered: boolean): Promise<Pages> =>
    read(listing, offered).catch((error: Error) => {
      if (options.signal.aborted || options.correlator.over()) throw error;
      return { entries: [], defects: [error.message] };
    });
  const skillsExtension = skillsOf(capabilities);
  const [tools, prompts, resources, templates, skills] = await Promise.all([
    read(TOOLS, offers("tools")),
    attempt(PROMPTS, offers("prompts")),
    attempt(RESOURCES, offers("resources")),
    attempt(TEMPLATES, offers("resources")),
    attempt(SKILLS, skillsExtension !== null),
  ]);
  const defects: string[] = [];
  return {
    tools: readEntries(tools, toTool, defects),
    prompts: readEntries(prompts, toPrompt, defects),
    resources: readEntries(resources, toResource, defects),
    templates: readEntries(templates, toTemplate, defects),
    skills: skillsExtension && (await readSkills(skills, defects)),
    directories: skillsExtension?.["directoryRead"] === true,
    instructions,
    completions: offers("completions"),
    defects,
  };
};

/** What the server says of its skills; null: nothing. */
const skillsOf = (capabilities: Opening["capabilities"]): JsonObject | null => {
  const extensions = capabilities?.["extensions"];
  const skills = isObject(extensions) ? extensions["io.modelcontextprotocol/skills"] : null;
  return isObject(skills) ? skills : null;
};

const NO_PAGES: Pages = { entries: [], defects: [] };

interface PagesOptions extends ListOptions {
  /** What all lists together may hold. */
  readonly budget: { bytes: number };
}

const readPages = async (listing: Listing, options: PagesOptions): Promise<Pages> => {
  const entries: RawEntry[] = [];
  const seen = new Set<string>();
  const stop = (why: string): Pages => ({ entries, defects: [`${listing.method}: ${why}; the rest is left out`] });
  let cursor: string | null = null;
  for (let page = 0; page < MAX_PAGES; page++) {
    const reply = await askPage(listing, cursor, options);
    if (reply.kind === "error") {
      if (reply.code === METHOD_NOT_FOUND && page === 0) return NO_PAGES;
      throw new Error(`${listing.method} failed: ${reply.message.slice(0, 500)} (${reply.code})`);
    }
    options.budget.bytes -= reply.json.length;
    if (options.budget.bytes < 0) return stop("the lists are larger than maxMessageBytes");
    for (const entry of entriesOf(reply, listing)) entries.push(entry);
    if (entries.length > MAX_ITEMS) {
      entries.length = MAX_ITEMS;
      return stop(`more than ${MAX_ITEMS} entries`);
    }
    const next = reply.value["nextCursor"];
    if (typeof next !== "string") return { entries, defects: [] };
    if (seen.has(next)) return stop("the server repeated a cursor");
    seen.add(next);
    cursor = next;
  }
  return stop(`more than ${MAX_PAGES} pages`);
};

const entriesOf = (reply: Reply & { kind: "result" }, listing: Listing): RawEntry[] => {
  const values = reply.value[listing.member];
  if (!Array.isArray(values)) throw new Error(`${listing.method} failed: the result has no array "${listing.member}"`);
  return itemsOf(reply.json, lastMember(reply.json, listing.member).start).map((item, i) => ({
    json: sliceJson(reply.json, item),
    value: (values as unknown[])[i],
  }));
};

const askPage = (listing: Listing, cursor: string | null, options: PagesOptions): Promise<Reply> =>
  options.correlator.ask({
    method: listing.method,
    params: cursor === null ? "" : `"cursor":${JSON.stringify(cursor)}`,
    meta: "",
    name: null,
    signal: options.signal,
    listener: null,
    control: true,
    timeoutMs: options.correlator.limits.timeoutMs,
  });
