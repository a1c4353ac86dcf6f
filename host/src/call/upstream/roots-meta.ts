/**
 * `_meta.dcc.workspace_roots` of a request: said by the host alone, to tools that work on files. What a caller says there never
 * passes, however it is written; its other members pass byte for byte.
 */
import { rawJson, rawMembers, type RawJson, type RawMembers } from "../../kernel/raw-json.ts";
import { insertMembers, joinMembers, membersOf } from "../../kernel/scan-json.ts";

const BLOCK = "dcc";
const MEMBER = "workspace_roots";

/** `meta`: the caller's members. `roots`: what the host says; null: nothing. */
export const rootsMeta = (meta: RawMembers, roots: RawJson | null): RawMembers => {
  const own = roots === null ? rawMembers("") : rawMembers(`"${MEMBER}":${roots}`);
  // A key can also be written with escapes.
  if (!meta.includes(`"${BLOCK}"`) && !meta.includes("\\")) return withBlock(meta, own);
  const object = `{${meta}}`;
  const members = membersOf(object);
  if (!members.some(({ key }) => key === BLOCK)) return withBlock(meta, own);
  let said = false;
  const kept = members.flatMap(({ key, keyStart, start, end }) => {
    const text = object.slice(keyStart, end);
    if (key !== BLOCK) return [text];
    // What is no block could stand in the way of the host's.
    if (object[start] !== "{") return own === "" ? [text] : [];
    said = true;
    // Readers differ in which they take where one stands twice, so each has what the host says.
    return [object.slice(keyStart, start) + insertMembers(withoutRoots(object.slice(start, end)), own)];
  });
  const clean = rawMembers(kept.join(","));
  return said ? clean : withBlock(clean, own);
};

const withBlock = (meta: RawMembers, own: RawMembers): RawMembers => {
  if (own === "") return meta;
  return rawMembers(`${meta === "" ? "" : `${meta},`}"${BLOCK}":{${own}}`);
};

const withoutRoots = (block: string): RawJson => {
  const members = membersOf(block);
  const kept = members.filter(({ key }) => key !== MEMBER);
  return rawJson(kept.length === members.length ? block : `{${joinMembers(block, kept)}}`);
};
