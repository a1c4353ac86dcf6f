/** What `skills__read` gives out: a skill, or another file of it, to whom the list of skills shows it. */
import { nearest } from "@bailiwick/contract";
import { mayName } from "../../kernel/may-name.ts";
import type { Principal } from "../../kernel/principal.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { BookSkill } from "./book-skill.ts";
import { named } from "./match-skill.ts";
import { readRemoteBody, readRemoteFile, type ReadServerSkill } from "./read-remote-skill.ts";
import { readSkillFile } from "./read-skill-file.ts";
import { quoted } from "./skill-findings.ts";
import type { SkillReader } from "./skill-reader.ts";

export interface SkillText {
  readonly name: string;
  /** Null: the skill itself. */
  readonly file: string | null;
  readonly text: string;
  /** The provider that supplied it, whose text is untrusted; null: it is on the host's disk. */
  readonly server: string | null;
}

interface ReadOrder {
  readonly name: string;
  readonly file: string | null;
  readonly reader: SkillReader;
  readonly read: ReadServerSkill;
}

/** Skills that bring no tools of their own are read from this provider. */
const READ_FROM = "skills";
const MOST_NAMED = 20;

export const readBookSkill = async (skills: readonly BookSkill[], order: ReadOrder): Promise<SkillText> => {
  const { name, file, reader, read } = order;
  const seen = skills.filter((skill) => isSeen(skill, reader.principal));
  const skill = named(seen, name);
  if (skill === undefined) throw unknown(name, seen);
  // What is not what somebody accepted is not given to a model either.
  if (skill.isPackage && skill.reason !== null) throw notReady(skill.name, skill.reason);
  return { name: skill.name, file, text: await textOf(skill, file, { read, reader }), server: skill.server };
};

const textOf = (skill: BookSkill, file: string | null, by: Pick<ReadOrder, "read" | "reader">): Promise<string> => {
  const { name, remote } = skill;
  if (remote === null) return readSkillFile(skill, file);
  const order = { name, remote, reader: by.reader };
  return file === null ? readRemoteBody(by.read, order) : readRemoteFile(by.read, order, file);
};

/** A server's are here because the surface of this principal has them. */
const isSeen = ({ name, server, isPackage }: BookSkill, { scopes }: Principal): boolean =>
  scopes === null || server !== null || mayName(scopes, isPackage ? name : READ_FROM);

const unknown = (name: string, seen: readonly BookSkill[]): Refusal => {
  const names = seen.map((skill) => skill.name);
  const near = nearest(name, names, 3);
  const guess = near === null ? "" : ` Did you mean ${quoted(near)}?`;
  const some = names.slice(0, MOST_NAMED);
  const more = names.length > some.length ? ` and ${names.length - some.length} more` : "";
  return new Refusal("not_found", {
    message: `There is no skill ${quoted(name)}.${guess}`,
    next:
      some.length === 0 ? "Go on without it: there are no skills to read." : `Read one of: ${some.join(", ")}${more}.`,
    details: { skills: some },
  });
};

const notReady = (name: string, reason: string): Refusal =>
  new Refusal("not_ready", {
    message: `The skill ${quoted(name)} cannot be read now. ${reason}`,
    next: `Go on without it, or ask a person to look at it: bailiwick skill info ${name}`,
    details: { skill: name },
  });
