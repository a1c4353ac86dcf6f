/**
 * `ui://` and `skill://` on the endpoint of all providers: the provider becomes the first segment, `ui://R` is
 * `ui://<provider>/R`, R byte for byte, so that it is undone without a table. Rewritten is only where the protocol puts a
 * URI; text, HTML and `structuredContent` stay as they came, and so does every other byte.
 */
import type { Operation } from "./call.ts";
import { rawJson, type RawJson } from "./raw-json.ts";
import { itemsOf, membersOf, type Member, type Span } from "./scan-json.ts";

const SCHEMES = ["ui://", "skill://"];
/** Any text that holds such a URI; a slash may be escaped. */
const HINT = /(?:ui|skill):[/\\]/i;

/** How long the scheme is, with its slashes; 0: the URI is of another kind. Schemes compare without case. */
const schemeLength = (uri: string): number => {
  for (const scheme of SCHEMES) {
    if (uri.length >= scheme.length && uri.slice(0, scheme.length).toLowerCase() === scheme) return scheme.length;
  }
  return 0;
};

/** The URI, or URI template, under which all providers' endpoint shows it. */
export const toEndpointUri = (uri: string, provider: string): string => {
  const at = schemeLength(uri);
  return at === 0 ? uri : `${uri.slice(0, at)}${provider}/${uri.slice(at)}`;
};

/** Whose it is and what its provider calls it; null: of a kind that is not rewritten. The provider may not exist. */
export const fromEndpointUri = (uri: string): { readonly provider: string; readonly uri: string } | null => {
  const at = schemeLength(uri);
  if (at === 0) return null;
  const slash = uri.indexOf("/", at);
  if (slash < 0) return { provider: "", uri };
  return { provider: uri.slice(at, slash), uri: uri.slice(0, at) + uri.slice(slash + 1) };
};

/** What stands at a place: a URI, a content block, or an object of which these members matter. An array: its items. */
type Place = "uri" | "block" | Layout;
type Layout = ReadonlyMap<string, Place>;
const layout = (members: Readonly<Record<string, Place>>): Layout => new Map(Object.entries(members));

const META = layout({ ui: layout({ resourceUri: "uri" }), "ui/resourceUri": "uri" });
const ADDRESSED = layout({ uri: "uri", _meta: META });
const SKILL = layout({ uri: "uri", resources: layout({ uri: "uri" }) });
const OTHER_BLOCK = layout({ _meta: META });
const BLOCKS: ReadonlyMap<string, Layout> = new Map([
  ["resource", layout({ resource: ADDRESSED, _meta: META })],
  ["resource_link", ADDRESSED],
]);

const RESULTS: Readonly<Record<Operation, Layout>> = {
  call: layout({ content: "block", _meta: META }),
  read: layout({ contents: ADDRESSED, _meta: META }),
  prompt: layout({ messages: layout({ content: "block" }), _meta: META }),
  complete: layout({}),
  skill: layout({ skill: SKILL }),
  directory: layout({ resources: ADDRESSED }),
};

const ENTRIES = {
  tool: layout({ _meta: META }),
  resource: layout({ uri: "uri" }),
  template: layout({ uriTemplate: "uri" }),
  skill: SKILL,
} as const satisfies Record<string, Layout>;

/** A provider's result as all providers' endpoint gives it out. */
export const toEndpoint = (result: RawJson, provider: string, operation: Operation): RawJson =>
  HINT.test(result) ? new Rewriting(result, provider).run(RESULTS[operation]) : result;

/** A list entry as all providers' endpoint lists it. */
export const entryToEndpoint = (entry: RawJson, provider: string, kind: keyof typeof ENTRIES): RawJson =>
  HINT.test(entry) ? new Rewriting(entry, provider).run(ENTRIES[kind]) : entry;

class Rewriting {
  readonly #text: string;
  readonly #provider: string;
  #done = "";
  /** How far `#done` has come. */
  #at = 0;

  constructor(text: string, provider: string) {
    this.#text = text;
    this.#provider = provider;
  }

  run(members: Layout): RawJson {
    this.#visit({ start: this.#text.search(/\S/), end: this.#text.length }, members);
    return rawJson(this.#done + this.#text.slice(this.#at));
  }

  #visit(span: Span, place: Place): void {
    const first = this.#text[span.start];
    if (first === '"' && place === "uri") this.#uri(span);
    if (first !== "{" || place === "uri") return;
    const members = membersOf(this.#text, span.start);
    const known = place === "block" ? this.#blockLayout(members) : place;
    for (const member of members) {
      const inside = known.get(member.key);
      if (inside === undefined) continue;
      if (this.#text[member.start] !== "[") this.#visit(member, inside);
      else for (const item of itemsOf(this.#text, member.start)) this.#visit(item, inside);
    }
  }

  /** Of a block of another type only `_meta` is ours to read. */
  #blockLayout(members: readonly Member[]): Layout {
    const type = members.findLast(({ key }) => key === "type");
    const known = type && BLOCKS.get(JSON.parse(this.#text.slice(type.start, type.end)) as string);
    return known ?? OTHER_BLOCK;
  }

  #uri({ start, end }: Span): void {
    const written = this.#text.slice(start + 1, end - 1);
    const at = start + 1 + schemeLength(written);
    if (at > start + 1) return this.#edit({ start: at, end: at }, `${this.#provider}/`);
    if (!written.includes("\\")) return;
    const uri = JSON.parse(this.#text.slice(start, end)) as string;
    if (schemeLength(uri) > 0) this.#edit({ start, end }, JSON.stringify(toEndpointUri(uri, this.#provider)));
  }

  #edit({ start, end }: Span, text: string): void {
    this.#done += this.#text.slice(this.#at, start) + text;
    this.#at = end;
  }
}
