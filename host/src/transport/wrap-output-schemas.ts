/**
 * The list of tools as legacy clients can read it: they drop the whole list for one `outputSchema` that is not of type
 * object. Such a schema is put into an object, as `fit-reply.ts` does with the values that it describes.
 */
import { hash } from "node:crypto";
import { rawJson, rawMembers, type RawJson } from "../kernel/raw-json.ts";
import { insertMembers, itemsOf, memberOf, sliceJson } from "../kernel/scan-json.ts";

export const wrapOutputSchemas = (tools: RawJson): RawJson => {
  if (!tools.includes('"outputSchema"')) return tools;
  return rawJson(
    `[${itemsOf(tools)
      .map((item) => wrapIn(sliceJson(tools, item)))
      .join(",")}]`,
  );
};

const wrapIn = (tool: RawJson): string => {
  const found = memberOf(tool, "outputSchema");
  if (!found) return tool;
  const schema = sliceJson(tool, found);
  const type = memberOf(schema, "type");
  if (type && JSON.parse(sliceJson(schema, type)) === "object") return tool;
  const inner = `{"type":"object","properties":{"result":${withId(schema)}},"required":["result"]}`;
  return `${tool.slice(0, found.start)}${inner}${tool.slice(found.end)}`;
};

/** With an id of its own the schema's references to `#/…` still mean the schema itself. */
const withId = (schema: RawJson): RawJson =>
  memberOf(schema, "$id")
    ? schema
    : insertMembers(schema, rawMembers(`"$id":"urn:bailiwick:output:${hash("sha256", schema).slice(0, 32)}"`));
