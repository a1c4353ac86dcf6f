/**
 * The URIs of `config://`, `schema://`, `content://` and `generator://`, read and written. Ids are checked here: what is no id
 * is no resource, and never becomes a name of a file.
 */
import { isConfigId } from "../configs/config-id.ts";
import type { ConfigType } from "../configs/config-types.ts";
import { isVersionId } from "../storage/version-id.ts";

export type ResourceUri =
  | { readonly kind: "configs"; readonly type: ConfigType }
  | { readonly kind: "config"; readonly type: ConfigType; readonly id: string }
  | { readonly kind: "schemas" }
  | { readonly kind: "schema"; readonly id: string }
  | { readonly kind: "contents" }
  | { readonly kind: "content"; readonly id: string }
  | { readonly kind: "versions"; readonly id: string }
  | { readonly kind: "version"; readonly id: string; readonly version: string }
  | { readonly kind: "generators" }
  | { readonly kind: "decision-tree" }
  | { readonly kind: "generator"; readonly id: string };

/** Those of some kinds. */
export type UriOfKind<Kind extends ResourceUri["kind"]> = Extract<ResourceUri, { readonly kind: Kind }>;

/** Two ids of the longest kind would fit twice. */
const MAX_LENGTH = 1_024;
const URI = /^(config|schema|content|generator):\/\/([\x21-\x7e]*)$/i;
const NAME = /^[a-z][a-z0-9_-]{0,63}$/;
const DECISION_TREE = "decision_tree";

/** Null: no resource can have this URI. Schemes are the same in any case, and one `/` at the end means nothing. */
export const readResourceUri = (given: string): ResourceUri | null => {
  const [, scheme = "", rest = ""] = given.length > MAX_LENGTH ? [] : (URI.exec(given) ?? []);
  const path = rest.length > 1 && rest.endsWith("/") ? rest.slice(0, -1) : rest;
  const [first = "", second, ...more] = path.split("/");
  if (scheme === "" || more.length > 0) return null;
  return READERS[scheme.toLowerCase()]?.(first, second) ?? null;
};

type Reader = (first: string, second: string | undefined) => ResourceUri | null;

const READERS: Readonly<Record<string, Reader>> = {
  config: (type, id) => {
    if (type !== "content" && type !== "artifact") return null;
    if (id === undefined) return { kind: "configs", type };
    return isConfigId(id) ? { kind: "config", type, id } : null;
  },
  schema: (id, more) => {
    if (more !== undefined) return null;
    if (id === "") return { kind: "schemas" };
    return NAME.test(id) ? { kind: "schema", id } : null;
  },
  content: (id, version) => {
    if (id === "" && version === undefined) return { kind: "contents" };
    if (!isConfigId(id)) return null;
    if (version === undefined) return { kind: "content", id };
    if (version === "versions") return { kind: "versions", id };
    return isVersionId(version) ? { kind: "version", id, version } : null;
  },
  generator: (id, more) => {
    if (more !== undefined) return null;
    if (id === "") return { kind: "generators" };
    if (id === DECISION_TREE) return { kind: "decision-tree" };
    return NAME.test(id) ? { kind: "generator", id } : null;
  },
};

/** The one way in which it is listed. */
export const uriOf = (resource: ResourceUri): string => {
  switch (resource.kind) {
    case "configs":
      return `config://${resource.type}/`;
    case "config":
      return `config://${resource.type}/${resource.id}`;
    case "schemas":
      return "schema://";
    case "schema":
      return `schema://${resource.id}`;
    case "contents":
      return "content://";
    case "content":
      return `content://${resource.id}`;
    case "versions":
      return `content://${resource.id}/versions`;
    case "version":
      return `content://${resource.id}/${resource.version}`;
    case "generators":
      return "generator://";
    case "decision-tree":
      return `generator://${DECISION_TREE}`;
    default:
      return `generator://${resource.id}`;
  }
};
