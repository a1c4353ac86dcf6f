/**
 * What a tool requires of its host and lacks here, put into `_meta.dcc`. The host alone says what is missing: what an
 * upstream says about that goes. Every other member stays as the upstream wrote it.
 */
import type { Requirements } from "../../kernel/environment.ts";
import { rawJson, rawMembers, type RawJson } from "../../kernel/raw-json.ts";
import { insertMembers, joinMembers, membersOf, type Member } from "../../kernel/scan-json.ts";

const REQUIRED = "required_capabilities";
const MISSING = "missing_capabilities";

const isHint = ({ key }: Member): boolean => key === REQUIRED || key === MISSING;

/** Members of `dcc`; none for a tool that requires nothing. */
const hintOf = ({ required, missing }: Requirements): string => {
  if (required.length === 0) return "";
  const lacks = missing.length === 0 ? "" : `,"${MISSING}":${JSON.stringify(missing)}`;
  return `"${REQUIRED}":${JSON.stringify(required)}${lacks}`;
};

const objectOf = (...members: readonly string[]): RawJson =>
  rawJson(`{${members.filter((text) => text !== "").join(",")}}`);

/**
 * Of a `_meta` object. Requirements that are null cannot be read, and what is required stays as it is written. Where `dcc`
 * stands twice only the last counts, as for the gate, and the others go.
 */
export const hintCapabilities = (meta: RawJson, requirements: Requirements | null): RawJson => {
  const members = membersOf(meta);
  const others = members.filter(({ key }) => key !== "dcc");
  const dcc = members.findLast(({ key }) => key === "dcc");
  if (dcc === undefined) {
    const hint = requirements === null ? "" : hintOf(requirements);
    return insertMembers(meta, rawMembers(hint === "" ? "" : `"dcc":{${hint}}`));
  }
  const own = rawJson(meta.slice(dcc.start, dcc.end));
  const hinted = requirements === null ? withoutMissing(own) : hintInside(own, requirements);
  if (hinted === null) return objectOf(joinMembers(meta, others));
  if (others.length + 1 < members.length) return objectOf(`"dcc":${hinted}`, joinMembers(meta, others));
  return hinted === own ? meta : rawJson(`${meta.slice(0, dcc.start)}${hinted}${meta.slice(dcc.end)}`);
};

/** Of a `dcc` object; null: nothing is left of it. */
const hintInside = (dcc: RawJson, requirements: Requirements): RawJson | null => {
  // What is no object is null here, and says nothing.
  const members = dcc.startsWith("{") ? membersOf(dcc) : [];
  const hints = members.filter(isHint);
  const hint = hintOf(requirements);
  const isSaid = hints.length === 1 && `"${REQUIRED}":${compact(dcc, hints[0])}` === hint;
  if (isSaid || (hint === "" && hints.length === 0)) return dcc;
  const others = members.filter((member) => !isHint(member));
  return hint === "" && others.length === 0 ? null : objectOf(hint, joinMembers(dcc, others));
};

/** Of a `dcc` of any kind. */
const withoutMissing = (dcc: RawJson): RawJson => {
  const members = dcc.startsWith("{") ? membersOf(dcc) : [];
  const others = members.filter(({ key }) => key !== MISSING);
  return others.length === members.length ? dcc : objectOf(joinMembers(dcc, others));
};

const compact = (text: string, member: Member | undefined): string =>
  member?.key === REQUIRED ? JSON.stringify(JSON.parse(text.slice(member.start, member.end))) : "";
