/** The configuration file as JSON Schema, for editors. Rules between fields are told where JSON Schema can. */
import * as z from "zod/mini";
import { configSchema } from "./schema/config-schema.ts";
import { entrySchema } from "./schema/entry-schema.ts";

export const configJsonSchema = (): object =>
  z.toJSONSchema(configSchema, {
    io: "input",
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema !== entrySchema) return;
      jsonSchema.oneOf = [{ required: ["name"] }, { required: ["path"] }, { required: ["url", "serverName"] }];
    },
  });
