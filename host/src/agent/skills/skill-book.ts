/**
 * The skills of one workspace as its agent uses them: loaded anew for each message, chosen for it, read by name. What lies on
 * the host's disk is its own; what servers supply is read from them when it is wanted, as the principal that wants it.
 */
import type { SkillMatching } from "../../kernel/agent.ts";
import type { Principal } from "../../kernel/principal.ts";
import type { FoundSkill } from "./agent-skill.ts";
import type { BookSkill } from "./book-skill.ts";
import { chooseSkill, type SkillChoice } from "./choose-skill.ts";
import { describeMatching } from "./describe-matching.ts";
import { joinSkills, type SkillsNow } from "./join-skills.ts";
import { LocalSkills, type LocalSkillsOptions } from "./local-skills.ts";
import type { SkillWish } from "./match-skill.ts";
import { readBookSkill, type SkillText } from "./read-book-skill.ts";
import type { ReadServerSkill } from "./read-remote-skill.ts";
import type { SkillReader } from "./skill-reader.ts";
import { serverSkills, type ServerSkills } from "./server-skills.ts";

export type { BookSkill } from "./book-skill.ts";

export interface SkillBookPorts extends LocalSkillsOptions {
  /** Asked with each load. */
  readonly now: () => SkillsNow;
  /** Entries of skills on the endpoint of the whole workspace, as this principal may see them: a JSON array. */
  readonly listed: (principal: Principal) => string;
  readonly readServerSkill: ReadServerSkill;
}

export interface BookLoaded {
  /** All, in load order. */
  readonly skills: readonly BookSkill[];
  /**
   * Those whose description or text may stand in the prompt for every message: all but packages that are not as somebody
   * accepted them. They are the same while bundles come and go.
   */
  readonly shown: readonly BookSkill[];
  /** Sentences that name a file and what to do about it. */
  readonly warnings: readonly string[];
}

export interface SkillBook {
  load(principal: Principal): Promise<BookLoaded>;
  /** The skill for a message, with its text. Refusal `bad_request` for a name that none has or that cannot be used now. */
  choose(loaded: BookLoaded, wish: SkillWish, reader: SkillReader): Promise<SkillChoice>;
  /** Which would be chosen and why; no server is asked. */
  match(principal: Principal, wish: SkillWish): Promise<SkillMatching>;
  /** The text of a skill, or another file of it: null for the skill itself. Refusal `not_found`, `not_ready`, `too_large`. */
  read(reader: SkillReader, name: string, file: string | null): Promise<SkillText>;
  /** Those on the host's disk, looked at now, so that changes are told; in load order. */
  local(): Promise<readonly FoundSkill[]>;
  /** Looks only so that changes are told, and reads no file that cannot have changed. */
  watch(): Promise<void>;
}

export const createSkillBook = (ports: SkillBookPorts): SkillBook => new Book(ports);

class Book implements SkillBook {
  readonly #ports: SkillBookPorts;
  readonly #local: LocalSkills;
  /** What was made of the last list; most principals see the same one. */
  #remote: { readonly listed: string; readonly found: ServerSkills } = { listed: "[]", found: serverSkills("[]") };

  constructor(ports: SkillBookPorts) {
    this.#ports = ports;
    this.#local = new LocalSkills(ports);
  }

  async load(principal: Principal): Promise<BookLoaded> {
    const local = await this.#local.look();
    const remote = this.#remoteOf(principal);
    const joined = joinSkills(local.skills, remote.skills, this.#ports.now());
    return {
      skills: joined.skills,
      shown: joined.skills.filter(({ isPackage, reason }) => !isPackage || reason === null),
      warnings: [...local.warnings, ...remote.warnings, ...joined.warnings],
    };
  }

  choose({ skills }: BookLoaded, wish: SkillWish, reader: SkillReader): Promise<SkillChoice> {
    return chooseSkill(skills, { ...wish, reader, read: this.#ports.readServerSkill });
  }

  async match(principal: Principal, wish: SkillWish): Promise<SkillMatching> {
    const { skills, warnings } = await this.load(principal);
    return { ...describeMatching(skills, wish), warnings };
  }

  async read(reader: SkillReader, name: string, file: string | null): Promise<SkillText> {
    const { skills } = await this.load(reader.principal);
    return readBookSkill(skills, { name, file, reader, read: this.#ports.readServerSkill });
  }

  async local(): Promise<readonly FoundSkill[]> {
    return (await this.#local.look()).skills;
  }

  watch(): Promise<void> {
    return this.#local.watch();
  }

  #remoteOf(principal: Principal): ServerSkills {
    const listed = this.#ports.listed(principal);
    if (listed !== this.#remote.listed) this.#remote = { listed, found: serverSkills(listed) };
    return this.#remote.found;
  }
}
