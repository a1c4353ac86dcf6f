/**
 * Takes the host's own keys out of an upstream's `_meta`: what stands under `dev.bailiwick/` is said by the host alone, and
 * a reader must be able to believe it. Text without such keys comes back as it is.
 */
import { rawJson, type RawJson } from "./raw-json.ts";
import { joinMembers, membersOf } from "./scan-json.ts";

const HOST = "dev.bailiwick/";

/** Of a `_meta` object. */
export const dropHostMembers = (meta: RawJson): RawJson => {
  const members = membersOf(meta);
  const kept = members.filter((member) => !member.key.startsWith(HOST));
  return kept.length === members.length ? meta : rawJson(`{${joinMembers(meta, kept)}}`);
};

/**
 * Of a result; `value` is the same parsed, so that the usual result costs a look and no scan. Where `_meta` stands twice,
 * readers differ in which they take, so both are looked through.
 */
export const dropHostMeta = (result: RawJson, value: Readonly<Record<string, unknown>>): RawJson => {
  const meta = value["_meta"];
  if (meta === undefined) return result;
  const clean = typeof meta !== "object" || meta === null || !Object.keys(meta).some((key) => key.startsWith(HOST));
  if (clean && result.indexOf('"_meta"') === result.lastIndexOf('"_meta"')) return result;
  let own = result;
  for (const { key, start, end } of membersOf(result).toReversed()) {
    if (key !== "_meta" || result[start] !== "{") continue;
    own = rawJson(own.slice(0, start) + dropHostMembers(rawJson(result.slice(start, end))) + own.slice(end));
  }
  return own;
};
