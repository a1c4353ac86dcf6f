/** An object with those of its members that have one of these keys; the text as it came where all of them do. */
import { rawJson, type RawJson } from "../../kernel/raw-json.ts";
import { joinMembers, membersOf } from "../../kernel/scan-json.ts";

export const onlyKeys = (object: RawJson, keys: readonly string[]): RawJson => {
  const wanted = new Set(keys);
  const all = membersOf(object);
  const kept = all.filter(({ key }) => wanted.has(key));
  return kept.length === all.length ? object : rawJson(`{${joinMembers(object, kept)}}`);
};
