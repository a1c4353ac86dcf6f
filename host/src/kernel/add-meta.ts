/** Adds members to the `_meta` of a result, which is otherwise as it came. */
import { rawJson, rawMembers, type RawJson, type RawMembers } from "./raw-json.ts";
import { insertMembers, memberOf } from "./scan-json.ts";

export const addMeta = (result: RawJson, members: RawMembers): RawJson => {
  const meta = memberOf(result, "_meta");
  if (!meta || result[meta.start] !== "{") return insertMembers(result, rawMembers(`"_meta":{${members}}`));
  const inner = insertMembers(rawJson(result.slice(meta.start, meta.end)), members);
  return rawJson(`${result.slice(0, meta.start)}${inner}${result.slice(meta.end)}`);
};
