/**
 * The skills that a workspace keeps for itself, as an agent changes them: flat files of one directory, named after the skill,
 * never reached by a path. Whatever was there before is kept. Folders with a `SKILL.md` are a person's, and stay as they are.
 */
import { lstat, mkdir, readdir, realpath, unlink } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { Refusal } from "../../kernel/refusal.ts";
import type { FoundSkill } from "../skills/agent-skill.ts";
import { readPlainFile } from "../../kernel/read-plain-file.ts";
import { syncFolder } from "../../kernel/sync-folder.ts";
import { SKILL_LIMITS } from "../skills/skill-limits.ts";
import { systemCode } from "../skills/system-code.ts";
import { bumpVersion } from "./bump-version.ts";
import { checkBody, checkDraft, checkSkillName, joinTexts, tooMany, type SkillDraft } from "./skill-draft.ts";
import { exists, full, isFolder, notDone, notOwn, notPlain, otherFile, unreadable } from "./skill-file-refusals.ts";
import { HISTORY, keepInHistory } from "./skill-history.ts";
import { readSkillText, writeSkillText, type SkillBefore } from "./skill-text.ts";
import { invalidInput, unknownName } from "./tool-answers.ts";
import { writePrivate } from "./write-private.ts";

export interface SkillWritten {
  readonly name: string;
  /** Relative to the workspace; of one that was deleted: where its text is kept. */
  readonly path: string;
  readonly version: string;
  readonly previousVersion?: string;
  /** What whoever asked should know. */
  readonly note?: string;
}

/** Refusal `invalid_input`, `not_found`, `too_large`, `quota_exceeded` or, where the disk does not do it, `upstream_failed`. */
export interface SkillFiles {
  create(name: string, draft: SkillDraft): Promise<SkillWritten>;
  /** `append`: body, triggers and keywords are added to those there are; all else that is given is replaced. */
  update(name: string, draft: SkillDraft, mode: "append" | "replace"): Promise<SkillWritten>;
  delete(name: string): Promise<SkillWritten>;
}

export interface SkillFilesOptions {
  /** Absolute; the workspace's own `skills`. */
  readonly dir: string;
  /** Those that count now, of all directories. */
  readonly loaded: () => Promise<readonly Pick<FoundSkill, "name" | "path" | "source">[]>;
}

const FIRST_VERSION = "1.0.0";
/** A context skill without a priority of its own gets the highest that it may have. */
const CONTEXT_PRIORITY = 10;

export const createSkillFiles = (options: SkillFilesOptions): SkillFiles => new Files(options);

class Files implements SkillFiles {
  readonly #dir: string;
  readonly #loaded: SkillFilesOptions["loaded"];
  #turn: Promise<unknown> = Promise.resolve();

  constructor({ dir, loaded }: SkillFilesOptions) {
    this.#dir = dir;
    this.#loaded = loaded;
  }

  create(name: string, draft: SkillDraft): Promise<SkillWritten> {
    return this.#inTurn(name, async () => {
      const checked = withPriority(checkDraft(draft));
      if (checked.body === undefined) throw invalidInput("/body", "must be given to create a skill", "Write the body.");
      await mkdir(this.#dir, { recursive: true, mode: 0o700 });
      if (await this.#isThere(name)) throw exists(name);
      const files = await readdir(this.#dir);
      if (files.length >= SKILL_LIMITS.skills) throw full();
      const other = (await this.#loaded()).find((each) => each.name === name);
      if (other !== undefined && this.#isOwn(other.path)) throw otherFile(name, relative(this.#dir, other.path));
      const version = FIRST_VERSION;
      const text = await writeSkillText({ name, version, draft: checked, before: null, path: this.#shown(name) });
      await writePrivate(this.#file(name), text, { replace: false });
      return { name, path: this.#shown(name), version, ...(other === undefined ? {} : { note: replacing(other) }) };
    });
  }

  update(name: string, draft: SkillDraft, mode: "append" | "replace"): Promise<SkillWritten> {
    return this.#inTurn(name, async () => {
      const before = await this.#existing(name);
      const checked = checkDraft(draft);
      const whole = mode === "append" ? appended(checked, before) : checked;
      const { version: previousVersion } = before.skill;
      const version = bumpVersion(previousVersion);
      const text = await writeSkillText({ name, version, draft: whole, before, path: this.#shown(name) });
      await keepInHistory(this.#dir, name, before.text);
      await writePrivate(this.#file(name), text, { replace: true });
      return { name, path: this.#shown(name), version, previousVersion };
    });
  }

  delete(name: string): Promise<SkillWritten> {
    return this.#inTurn(name, async () => {
      const { text, skill } = await this.#existing(name);
      const kept = await keepInHistory(this.#dir, name, text);
      await unlink(this.#file(name));
      await syncFolder(this.#dir);
      const path = `${basename(this.#dir)}/${HISTORY}/${kept}`;
      return { name, path, version: skill.version, note: `The skill is deleted; its text is kept in ${path}.` };
    });
  }

  #file(name: string): string {
    return join(this.#dir, `${name}.md`);
  }

  #shown(name: string): string {
    return `${basename(this.#dir)}/${name}.md`;
  }

  /** One after the other, so that no change is lost under another one. */
  #inTurn(name: string, work: () => Promise<SkillWritten>): Promise<SkillWritten> {
    const done = this.#turn.then(async () => {
      checkSkillName(name);
      try {
        return await work();
      } catch (error) {
        throw error instanceof Refusal ? error : notDone(name, systemCode(error));
      }
    });
    this.#turn = done.catch(() => null);
    return done;
  }

  /** Throws for a name that something else than a plain file has. */
  async #isThere(name: string): Promise<boolean> {
    if ((await kindOf(join(this.#dir, name))) !== null) throw isFolder(name);
    const kind = await kindOf(this.#file(name));
    if (kind === "other") throw notPlain(this.#shown(name));
    return kind === "file";
  }

  /** A file of the directory, or the `SKILL.md` of one of its folders. */
  #isOwn(path: string): boolean {
    const folder = dirname(path);
    return folder === this.#dir || dirname(folder) === this.#dir;
  }

  #missing(name: string, loaded: Loaded): Refusal {
    const found = loaded.find((each) => each.name === name);
    if (found !== undefined)
      return this.#isOwn(found.path) ? otherFile(name, relative(this.#dir, found.path)) : notOwn(found);
    const own = loaded.flatMap((each) => (this.#isOwn(each.path) ? each.name : []));
    return unknownName("skill of this workspace named", name, own);
  }

  async #existing(name: string): Promise<SkillBefore> {
    const isThere = await this.#isThere(name);
    const loaded = await this.#loaded();
    if (!isThere) throw this.#missing(name, loaded);
    const bytes = await readPlainFile(join(await realpath(this.#dir), `${name}.md`), SKILL_LIMITS.fileBytes);
    const before = bytes === null ? null : await readSkillText(bytes.toString(), this.#shown(name));
    // What is no UTF-8 would be written back as something else.
    if (before === null || !bytes?.equals(Buffer.from(before.text))) throw unreadable(this.#shown(name));
    if (before.skill.name !== name) throw otherFile(name, `${name}.md`);
    return before;
  }
}

const kindOf = async (path: string): Promise<"file" | "other" | null> => {
  try {
    return (await lstat(path)).isFile() ? "file" : "other";
  } catch (error) {
    const code = systemCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    throw error;
  }
};

const withPriority = (draft: SkillDraft): SkillDraft =>
  draft.type === "context" && draft.priority === undefined ? { ...draft, priority: CONTEXT_PRIORITY } : draft;

const appended = (draft: SkillDraft, { skill }: SkillBefore): SkillDraft => {
  const body = draft.body === undefined ? undefined : `${skill.body}\n\n${draft.body}`.trim();
  if (body !== undefined) checkBody(body);
  const added = (key: "triggers" | "keywords"): object => {
    const more = draft[key];
    if (more === undefined) return {};
    const all = joinTexts(skill[key], more);
    if (all.length > SKILL_LIMITS.listItems) throw tooMany(`/${key}`);
    return { [key]: all };
  };
  return { ...draft, ...(body === undefined ? {} : { body }), ...added("triggers"), ...added("keywords") };
};

type Loaded = Awaited<ReturnType<SkillFilesOptions["loaded"]>>;

const replacing = ({ name, source }: Loaded[number]): string =>
  `There is a ${source} skill ${name} too: this one now stands in for it in this workspace.`;
