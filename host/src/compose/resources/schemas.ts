/** The documents of `schema://`, by name. They never change while the host runs. */
import { ARTIFACT_SCHEMA } from "../configs/artifact-schema.ts";
import { CONTENT_SCHEMA } from "../configs/content-schema.ts";
import { GENERATORS_SCHEMA } from "../documents/generators-schema.ts";
import { RESOURCES_SCHEMA } from "../documents/resources-schema.ts";
import { SERVER_SCHEMA } from "../documents/server-schema.ts";
import { TOOLS_SCHEMA } from "../documents/tools-schema.ts";
import { GENERATOR_PLUGIN_SCHEMA } from "./generator-plugin-schema.ts";

export const SCHEMAS: ReadonlyMap<string, { readonly title: string }> = new Map<string, { readonly title: string }>([
  ["content", CONTENT_SCHEMA],
  ["artifact", ARTIFACT_SCHEMA],
  ["generator-plugin", GENERATOR_PLUGIN_SCHEMA],
  ["capabilities-server", SERVER_SCHEMA],
  ["capabilities-tools", TOOLS_SCHEMA],
  ["capabilities-resources", RESOURCES_SCHEMA],
  ["capabilities-generators", GENERATORS_SCHEMA],
]);
