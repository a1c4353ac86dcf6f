/**
 * Takes the host's own keys out of an upstream's `_meta`: what stands under `dev.bailiwick/` is said by the host alone, and
 * a reader must be able to believe it. Text without such keys comes back as it is.
 */
import { rawJson, type RawJson } from "./raw-json.ts";
import { joinMembers, memberOf, membersOf } from "./scan-json.ts";

const HOST = "dev.bailiwick/";

/** Of a `_meta` object. */
export const dropHostMembers = (meta: RawJson): RawJson => {
  const members = membersOf(meta);
  const kept = members.filter((member) => !member.key.startsWith(HOST));
  return kept.length === members.length ? meta : rawJson(`{${joinMembers(meta, kept)}}`);
};

/** Of a result; `value` is the same parsed, so that the usual result costs a look and no scan. */
export const dropHostMeta = (result: RawJson, value: Readonly<Record<string, unknown>>): RawJson => {
  const meta = value["_meta"];
  if (typeof meta !== "object" || meta === null || !Object.keys(meta).some((key) => key.startsWith(HOST)))
    return result;
  const member = memberOf(result, "_meta");
  if (!member) return result;
  const own = dropHostMembers(rawJson(result.slice(member.start, member.end)));
  return rawJson(result.slice(0, member.start) + own + result.slice(member.end));
};
