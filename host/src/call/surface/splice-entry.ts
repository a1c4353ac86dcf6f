/**
 * A list entry as the upstream wrote it, with its name replaced and what the host says of it put into `_meta`. Everything
 * else stays byte for byte; what an upstream says there in the host's name goes.
 */
import { dropHostMembers } from "../../kernel/drop-host-members.ts";
import { rawJson, rawMembers, type RawJson } from "../../kernel/raw-json.ts";
import { insertMembers, membersOf } from "../../kernel/scan-json.ts";
import type { Lifecycle } from "../../kernel/stages.ts";

export interface EntryEdits {
  /** The value of `name`; null: its own. */
  readonly name: string | null;
  /** Members for `_meta`, possibly none. */
  readonly meta: string;
}

export const spliceEntry = (entry: RawJson, { name, meta }: EntryEdits): RawJson => {
  const members = membersOf(entry);
  const metaMember = members.find((member) => member.key === "_meta");
  const nameMember = name === null ? undefined : members.find((member) => member.key === "name");
  const edits: { start: number; end: number; text: string }[] = [];
  if (nameMember) edits.push({ ...nameMember, text: JSON.stringify(name) });
  const inPlace = metaMember && entry[metaMember.start] === "{";
  if (inPlace) {
    const own = dropHostMembers(rawJson(entry.slice(metaMember.start, metaMember.end)));
    edits.push({ ...metaMember, text: insertMembers(own, rawMembers(meta)) });
  }
  const edited = edits
    .toSorted((a, b) => b.start - a.start)
    .reduce((text, edit) => text.slice(0, edit.start) + edit.text + text.slice(edit.end), entry as string);
  return inPlace || meta === "" ? rawJson(edited) : insertMembers(rawJson(edited), rawMembers(`"_meta":{${meta}}`));
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
