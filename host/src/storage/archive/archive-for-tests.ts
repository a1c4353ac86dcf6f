/** An archive over a real log in a directory that goes away, and the schemas that its answers must fit. */
import { readdirSync, readFileSync } from "node:fs";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";
import { onTestFinished } from "vitest";
import type { Archive } from "../../kernel/archive.ts";
import type { Principal } from "../../kernel/principal.ts";
import { openLog, temporaryDir } from "../evidence-for-tests.ts";
import type { OpenEvidenceLog } from "../open-evidence-log.ts";
import { openSigningKey, type SigningKey } from "../signing-key.ts";
import { openArchive } from "./open-archive.ts";

export interface TestArchive {
  readonly dir: string;
  readonly log: OpenEvidenceLog;
  readonly key: SigningKey;
  readonly archive: Archive;
}

export const openTestArchive = async (
  options: { readonly dir?: string; readonly pinned?: readonly string[] } = {},
): Promise<TestArchive> => {
  const { dir = temporaryDir(), pinned = [] } = options;
  const key = openSigningKey(dir, "test-host");
  const log = await openLog(dir, { signing: key.material() });
  const { archive, close } = openArchive({
    dir,
    hostId: "test-host",
    key,
    log,
    pinnedWitnesses: pinned,
    pinnedPrincipals: [],
  });
  onTestFinished(close);
  return { dir, log, key, archive };
};

export const reader = (over: Partial<Principal> = {}): Principal => ({
  id: "person:ann",
  kind: "person",
  onBehalfOf: null,
  roles: [],
  permissions: ["evidence:read"],
  assurance: "credential",
  scopes: null,
  workspace: "ws_default",
  credentialId: "key:1",
  ...over,
});

export const textOf = async (parts: AsyncIterable<string>): Promise<string> => {
  let text = "";
  for await (const part of parts) text += part;
  return text;
};

const SCHEMAS = new URL("../../../test/chp-schemas/", import.meta.url);

/** Of the published schemas, by the beginning of the file's name. */
export const schemaOf = (name: string): ValidateFunction => {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const files = readdirSync(SCHEMAS).filter((file) => file.endsWith(".json"));
  for (const file of files) {
    const schema = JSON.parse(readFileSync(new URL(file, SCHEMAS), "utf8")) as { $id: string };
    if (!ajv.getSchema(schema.$id)) ajv.addSchema(schema, file);
  }
  const found = ajv.getSchema(`${name}.schema.json`);
  if (found === undefined) throw new Error(`there is no schema ${name}`);
  return found as ValidateFunction;
};
