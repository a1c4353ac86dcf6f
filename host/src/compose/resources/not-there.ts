/** The "no" to a URI that leads nowhere, with what there is instead. */
import { Refusal } from "../../kernel/refusal.ts";
import type { ComposeResources } from "../documents/compose-families.ts";
import { readResourceUri, uriOf, type ResourceUri } from "./resource-uri.ts";
import { INDEX_URIS } from "./static-resources.ts";

/** The index documents have them all. */
const MOST_KNOWN = 100;

/** `known`: as it was last seen. */
export const notThere = (given: string, known: ComposeResources): Refusal => {
  const uri = given.slice(0, 1_024).toWellFormed();
  const { index, uris } = knownBeside(readResourceUri(given), known);
  return new Refusal("resource_not_found", {
    message: `There is no resource ${JSON.stringify(uri.slice(0, 256).toWellFormed())}.`,
    next:
      index === null
        ? `Read one of: ${INDEX_URIS.join(", ")}. Or list the resources with resources/list.`
        : `Read ${index}, which lists those that there are.`,
    details: { uri, known: index === null ? INDEX_URIS : [index, ...uris] },
  });
};

interface Beside {
  /** Null: nothing like it exists. */
  readonly index: string | null;
  readonly uris: readonly string[];
}

const knownBeside = (resource: ResourceUri | null, known: ComposeResources): Beside => {
  switch (resource?.kind) {
    case "config": {
      const { type } = resource;
      const ids = type === "content" ? known.contentConfigs : known.artifactConfigs;
      return beside({ kind: "configs", type }, ids, (id) => ({ kind: "config", type, id }));
    }
    case "schema":
      return beside({ kind: "schemas" }, known.schemas, (id) => ({ kind: "schema", id }));
    case "version":
      // Of a content that is there it is the version that is not.
      if (known.contents.some(({ id }) => id === resource.id))
        return beside({ kind: "versions", id: resource.id }, [resource.id], (id) => ({ kind: "content", id }));
      return contentsBeside(known);
    case "content":
    case "versions":
      return contentsBeside(known);
    case "generator":
      return beside({ kind: "generators" }, known.generators, (id) => ({ kind: "generator", id }));
    default:
      return { index: null, uris: [] };
  }
};

const contentsBeside = ({ contents }: ComposeResources): Beside =>
  beside(
    { kind: "contents" },
    contents.slice(0, MOST_KNOWN).map(({ id }) => id),
    (id) => ({ kind: "content", id }),
  );

const beside = (index: ResourceUri, ids: readonly string[], each: (id: string) => ResourceUri): Beside => ({
  index: uriOf(index),
  uris: ids.slice(0, MOST_KNOWN).map((id) => uriOf(each(id))),
});
