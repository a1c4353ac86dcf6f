/**
 * A list entry as the upstream wrote it, with its name replaced and what the host says of it put into `_meta`. Everything
 * else stays byte for byte; what an upstream says there in the host's name goes.
 */
import type { Requirements } from "../../kernel/environment.ts";
import { dropHostMembers } from "../../kernel/drop-host-members.ts";
import { rawJson, rawMembers, type RawJson } from "../../kernel/raw-json.ts";
import { insertMembers, joinMembers, membersOf } from "../../kernel/scan-json.ts";
import type { Lifecycle } from "../../kernel/stages.ts";
import { hintCapabilities } from "./hint-capabilities.ts";

export interface EntryEdits {
  /** The value of `name`; null: its own. */
  readonly name: string | null;
  /** Members for `_meta`, possibly none. */
  readonly meta: string;
  /** What it requires of the host; null: that cannot be read; absent: it is not asked, and what it says of it stays. */
  readonly requirements?: Requirements | null;
}

export const spliceEntry = (entry: RawJson, edits: EntryEdits): RawJson => {
  const members = membersOf(entry);
  const metas = members.filter((member) => member.key === "_meta");
  const metaMember = metas.at(-1);
  // Readers differ in which of two they take; the gates took the last.
  if (metas.length > 1) {
    const single = members.filter((member) => member === metaMember || member.key !== "_meta");
    return spliceEntry(rawJson(`{${joinMembers(entry, single)}}`), edits);
  }
  const spans: { start: number; end: number; text: string }[] = [];
  const nameMember = edits.name === null ? undefined : members.find((member) => member.key === "name");
  if (nameMember) spans.push({ ...nameMember, text: JSON.stringify(edits.name) });
  const own = metaMember && entry[metaMember.start] === "{" ? entry.slice(metaMember.start, metaMember.end) : null;
  const meta = metaOf(rawJson(own ?? "{}"), edits);
  if (metaMember && (own !== null || meta !== "{}")) spans.push({ ...metaMember, text: meta });
  const edited = spans
    .toSorted((a, b) => b.start - a.start)
    .reduce((text, span) => text.slice(0, span.start) + span.text + text.slice(span.end), entry as string);
  if (metaMember || meta === "{}") return rawJson(edited);
  return insertMembers(rawJson(edited), rawMembers(`"_meta":${meta}`));
};

const metaOf = (own: RawJson, { meta, requirements }: EntryEdits): RawJson => {
  const clean = dropHostMembers(own);
  const hinted = requirements === undefined ? clean : hintCapabilities(clean, requirements);
  return insertMembers(hinted, rawMembers(meta));
};

/** What keeps an entry from being used, as a member of `_meta`; nothing when it can be. */
export const lifecycleMember = (
  lifecycle: Omit<Lifecycle, "retryAfterMs">,
  since: number,
  retryable: boolean,
): string => {
  if (lifecycle.state === "invokable") return "";
  const { state, reason, next } = lifecycle;
  const object = { state, reason, since: new Date(since).toISOString(), retryable, next };
  return `"dev.bailiwick/lifecycle":${JSON.stringify(object)}`;
};

export const joinMeta = (...members: readonly string[]): string => members.filter((each) => each !== "").join(",");
