/**
 * The documents of the `capabilities://` family under their URIs: found, read for one reader, listed. Whatever serves
 * them, on whichever endpoint, uses this. A document is read when it is asked for, so none is older than what it tells of.
 */
import type { BuiltInContents } from "../../kernel/built-in.ts";
import type { Principal } from "../../kernel/principal.ts";
import type { Catalogue } from "../../kernel/provider.ts";
import { rawJson } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { resourceContents } from "../resources/resource-contents.ts";
import { DocumentText } from "./document-text.ts";

const MIME_TYPE = "application/json";
const MOST_KNOWN = 100;

type Document = object | DocumentText;

/** Who reads, and where: a document is a view of that surface. */
export interface DocumentReader {
  readonly reader: Principal;
  /** The provider whose own endpoint it is read on: the surface is cut to that one; null: the endpoint of all. */
  readonly endpoint: string | null;
}

/** A document cut to one of many: `capabilities://tools/{provider}`. */
export interface DocumentParts {
  /** What stands in the template. */
  readonly parameter: string;
  readonly title: string;
  readonly description: string;
  /** Those that this reader may know of. */
  readonly names: (by: DocumentReader) => readonly string[];
  /** Asked with one of the names. */
  readonly read: (by: DocumentReader, name: string) => Document | Promise<Document>;
}

export interface CapabilityDocument {
  /** `capabilities://skills`, without a `/` at its end. */
  readonly uri: string;
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** As this reader may know it, on this endpoint. */
  readonly read: (by: DocumentReader) => Document | Promise<Document>;
  readonly parts?: DocumentParts;
}

export class DocumentShelf {
  readonly resources: Catalogue["resources"];
  readonly templates: Catalogue["templates"];
  readonly #documents: ReadonlyMap<string, CapabilityDocument>;

  constructor(documents: readonly CapabilityDocument[]) {
    this.#documents = new Map(documents.map((document) => [document.uri, document]));
    this.resources = documents.map(listed);
    this.templates = [FAMILY, ...documents.flatMap(templatesOf)].map((template) => ({
      uriTemplate: template.uriTemplate,
      json: rawJson(JSON.stringify(template)),
      value: { ...template },
    }));
  }

  /** The URI of the document, a part's too: that is what its changes are told of. Null: there is none. */
  documentAt(uri: string): string | null {
    return this.#find(uri)?.document.uri ?? null;
  }

  /** Refusal `resource_not_found` for whatever is not there. */
  async read(given: string, by: DocumentReader): Promise<BuiltInContents> {
    const found = this.#find(given);
    if (found === null) throw noDocument(given, [...this.#documents.keys()]);
    const { document, parts, part } = found;
    if (parts === null) return contents(document.uri, await document.read(by));
    const names = parts.names(by);
    if (!names.includes(part)) throw noPart(given, document, names);
    return contents(`${document.uri}/${part}`, await parts.read(by, part));
  }

  #find(given: string): Found | null {
    const uri = plainUri(given);
    const document = this.#documents.get(uri);
    if (document !== undefined) return { document, parts: null, part: "" };
    const at = uri.lastIndexOf("/");
    const whole = this.#documents.get(uri.slice(0, at));
    if (whole?.parts === undefined) return null;
    return { document: whole, parts: whole.parts, part: uri.slice(at + 1) };
  }
}

interface Found {
  readonly document: CapabilityDocument;
  /** Null: the whole of it. */
  readonly parts: DocumentParts | null;
  readonly part: string;
}

/** Schemes are the same in any case, and one `/` at the end means nothing. */
const plainUri = (uri: string): string => uri.replace(/^capabilities:/i, "capabilities:").replace(/(?<=[^/])\/$/, "");

const contents = (uri: string, document: Document): BuiltInContents => {
  const { text, escaped } = document instanceof DocumentText ? document : DocumentText.of(document);
  return resourceContents({ uri, mimeType: MIME_TYPE, text, escaped });
};

const listed = ({ uri, name, title, description }: CapabilityDocument): Catalogue["resources"][number] => {
  const value = { uri, name, title, description, mimeType: MIME_TYPE };
  return { uri, json: rawJson(JSON.stringify(value)), value };
};

const FAMILY = {
  uriTemplate: "capabilities://{capability_type}",
  name: "capabilities",
  title: "Capabilities",
  description: "What this host can do; capabilities:// says which types there are.",
  mimeType: MIME_TYPE,
};

const templatesOf = ({ uri, name, parts }: CapabilityDocument): readonly (typeof FAMILY)[] =>
  parts === undefined
    ? []
    : [
        {
          uriTemplate: `${uri}/{${parts.parameter}}`,
          name: `${name}-of-${parts.parameter}`,
          title: parts.title,
          description: parts.description,
          mimeType: MIME_TYPE,
        },
      ];

const noDocument = (uri: string, known: readonly string[]): Refusal =>
  new Refusal("resource_not_found", {
    message: `There is no document ${JSON.stringify(uri.slice(0, 256).toWellFormed())} about what this host has.`,
    next: `Read one of: ${known.join(", ")}. Or list the tools with tools/list.`,
    details: { uri: uri.slice(0, 1_024).toWellFormed(), known },
  });

/** One that the reader may not know of is not told apart from one that does not exist. */
const noPart = (given: string, { uri, parts }: CapabilityDocument, names: readonly string[]): Refusal =>
  new Refusal("resource_not_found", {
    message: `There is no document ${JSON.stringify(given.slice(0, 256).toWellFormed())}: no such ${parts?.parameter ?? "part"} is to be seen here.`,
    next: `Read ${uri}, which has all of them.`,
    details: {
      uri: given.slice(0, 1_024).toWellFormed(),
      known: [uri, ...names.slice(0, MOST_KNOWN).map((name) => `${uri}/${name}`)],
    },
  });
