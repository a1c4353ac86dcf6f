/**
 * The skills on the host's disk, looked at anew whenever somebody asks. One look at a time; whoever asks while one has begun
 * gets the next one, so that nobody is given what was there before they asked.
 */
import { AgentSkillLibrary, type LoadedSkills } from "./agent-skill-library.ts";
import { listSkills, type SkillDirectory } from "./list-skills.ts";

export interface LocalSkillsOptions {
  /** In load order; asked each time. */
  readonly directories: () => readonly SkillDirectory[];
  /** Names of skills that are new, gone, or not what they were. */
  readonly onChange: (names: readonly string[]) => void;
}

/** The kind of the directories that come with the host. */
const SHIPPED = "built-in";

export class LocalSkills {
  readonly #options: LocalSkillsOptions;
  readonly #library = new AgentSkillLibrary();
  #last: Promise<unknown> = Promise.resolve();
  /** The look that has not begun. */
  #next: Promise<LoadedSkills> | null = null;
  /** By name, which text of which file it is; null: nobody has looked yet. */
  #known: ReadonlyMap<string, string> | null = null;
  /** At first there was nothing but what is shipped. */
  #onlyShipped = false;

  constructor(options: LocalSkillsOptions) {
    this.#options = options;
  }

  look(): Promise<LoadedSkills> {
    this.#next ??= this.#after(this.#last);
    return this.#next;
  }

  /** Looks so that changes are told. What is shipped does not change: where there is nothing else, no file is read. */
  async watch(): Promise<void> {
    const isUnread = this.#known === null && (await hasNone(this.#options.directories().filter(isOwn)));
    if (isUnread) this.#onlyShipped = true;
    else await this.look();
  }

  async #after(last: Promise<unknown>): Promise<LoadedSkills> {
    await last;
    const looking = this.#look();
    this.#next = null;
    // Whoever asked hears of a failure; the next look is another one.
    this.#last = looking.catch(() => null);
    return looking;
  }

  async #look(): Promise<LoadedSkills> {
    const loaded = await this.#library.load(this.#options.directories());
    const now = new Map(loaded.skills.map(({ name, path, digest }) => [name, `${digest} ${path}`]));
    const before = this.#known;
    this.#known = now;
    const changed = before === null ? this.#added(loaded) : differing(before, now);
    if (changed.length > 0) this.#options.onChange(changed);
    return loaded;
  }

  /** Before anybody looked nothing is known of what was there, unless that was nothing. */
  #added({ skills }: LoadedSkills): readonly string[] {
    return this.#onlyShipped ? skills.filter(isOwn).map(({ name }) => name) : [];
  }
}

const isOwn = ({ source }: Pick<SkillDirectory, "source">): boolean => source !== SHIPPED;

const hasNone = async (directories: readonly SkillDirectory[]): Promise<boolean> => {
  for (const directory of directories) {
    const { files, folders } = await listSkills(directory, []);
    if (files.length + folders.length > 0) return false;
  }
  return true;
};

const differing = (before: ReadonlyMap<string, string>, now: ReadonlyMap<string, string>): readonly string[] => [
  ...[...before.keys()].filter((name) => !now.has(name)),
  ...[...now].filter(([name, text]) => before.get(name) !== text).map(([name]) => name),
];
