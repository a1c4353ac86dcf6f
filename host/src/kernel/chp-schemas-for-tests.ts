/**
 * CHP's published schemas, registered by `$id` and never fetched, for tests of everything that goes out over CHP. Two
 * additions of ours are known and taken out first: `replayed` in a result, the history of keys in an identity.
 */
import { readdirSync, readFileSync } from "node:fs";
import { Ajv2020 } from "ajv/dist/2020.js";

const FOLDER = new URL("../../test/chp-schemas/", import.meta.url);
const SUFFIX = ".schema.json";
const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const ADDITIONS: Readonly<Record<string, readonly string[]>> = {
  "invocation-result": ["replayed"],
  "chp-identity": ["key_history", "revoked_keys"],
};

type Json = Readonly<Record<string, unknown>>;

const ajv = new Ajv2020({ strict: false, allErrors: true });
ajv.addFormat("date-time", TIME);
ajv.addFormat("date", /^\d{4}-\d\d-\d\d$/);
ajv.addFormat("uri", true);

const ids = new Map<string, string>();
for (const name of readdirSync(FOLDER).filter((file) => file.endsWith(SUFFIX))) {
  const schema = JSON.parse(readFileSync(new URL(name, FOLDER), "utf8")) as Json & { readonly $id: string };
  ids.set(name.slice(0, -SUFFIX.length), schema.$id);
  ajv.addSchema(schema);
}

/** What a document has against the schema of this name (`invocation-result`); empty: it is valid. */
export const schemaErrors = (name: string, document: unknown): readonly string[] => {
  const id = ids.get(name);
  const validate = id === undefined ? undefined : ajv.getSchema(id);
  if (validate === undefined) throw new Error(`there is no schema ${name}`);
  const added = ADDITIONS[name] ?? [];
  const published =
    added.length === 0 || typeof document !== "object"
      ? document
      : Object.fromEntries(Object.entries(document ?? {}).filter(([key]) => !added.includes(key)));
  if (validate(published)) return [];
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
};
