/**
 * The accepted definitions of one entry, on disk and in memory, for all its connections. What of a listing may be shown is
 * decided here and nowhere else. A file that cannot be read accepts nothing: everything is held until a person says yes.
 */
import { createHash } from "node:crypto";
import { readFile, rm, stat } from "node:fs/promises";
import type { HeldDefinition } from "../../kernel/bundle-admin.ts";
import { replaceFile } from "../../kernel/replace-file.ts";
import type { BundleEvent } from "../bundle-event.ts";
import { LOST_SET, wholeSet, type AcceptedSet, type Listing } from "./accepted-set.ts";
import { describeAccepted, describeChanged, everythingOf } from "./describe-definitions.ts";
import { acceptDefinitions, judgeDefinitions, type Shown } from "./judge-definitions.ts";
import { readPins, writePins } from "./pins-text.ts";

export interface PinsOptions {
  readonly name: string;
  readonly file: string;
  /** What identifies the entry: its absolute path, its package's name or its URL. What was accepted of another is not used. */
  readonly source: string;
  readonly mode: "hold" | "warn" | "off";
  /** Of a URL entry; null: a package, whose digest is told by `cameFrom`. */
  readonly origin: string | null;
  readonly log: (event: BundleEvent) => void;
}

const MAX_BYTES = 64 * 1024 * 1024;
/** Accepted tools that are gone are forgotten beyond this, so that a server that invents names does not fill the disk. */
const MAX_TOOLS = 20_000;

export class Pins {
  readonly #options: PinsOptions;
  readonly #source: string;
  #origin: string | null;
  /** Null: nothing was ever accepted, so the first set seen is. Until the file is read nobody knows. */
  #accepted: AcceptedSet | null = LOST_SET;
  #expectsNewSet = false;
  #unreadable: string | null = null;
  /** Tools of which somebody was told that they are held. */
  readonly #told = new Set<string | null>();
  #written = "";
  #writing: Promise<void> = Promise.resolve();

  constructor(options: PinsOptions) {
    this.#options = options;
    this.#origin = options.origin;
    // Hashed: a URL may hold what nobody should find in a second file.
    this.#source = createHash("sha256").update(options.source).digest("hex");
  }

  /** What changes is believed at once. */
  get isOpen(): boolean {
    return this.#options.mode !== "hold";
  }

  /** Before the first judgement. */
  async read(): Promise<void> {
    const { file, mode } = this.#options;
    if (mode === "off") return;
    try {
      if ((await stat(file)).size > MAX_BYTES) throw new Error("it is too large");
      const text = await readFile(file, "utf8");
      this.#accepted = readPins(text, this.#source);
      this.#written = text;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") this.#accepted = null;
      else this.#lost(error as Error);
    }
  }

  /** Why everything is held; null: what was accepted is known. */
  get defect(): string | null {
    return this.#accepted?.incomplete ? this.#unreadable : null;
  }

  /** The package that is started. */
  cameFrom(digest: string | null): void {
    this.#origin = digest;
  }

  async forget(): Promise<void> {
    await this.settled();
    await rm(this.#options.file, { force: true });
  }

  /** Somebody installs or upgrades it: the next set that its server lists is accepted in that act. */
  expectNewSet(): void {
    this.#expectsNewSet = true;
  }

  /** `known`: it was judged before, here or when the host last ran. Then nobody hears of it again, and no version is new. */
  judge(listing: Listing, known = false): Shown {
    const { mode, name } = this.#options;
    const { catalogue } = listing;
    if (mode === "off") return { shown: catalogue, held: [] };
    const before = this.#accepted;
    if (before === null || (this.#expectsNewSet && !known)) {
      this.#takeWhole(listing, before);
      return { shown: catalogue, held: [] };
    }
    const version = known ? before.version : listing.version;
    const { accepted, taken, ...shown } = judgeDefinitions({ catalogue, version }, before, mode);
    const kept = taken.length === 0 ? accepted : { ...accepted, origin: this.#origin };
    this.#keep(kept, listing);
    if (taken.length > 0 && mode === "warn") this.#log(describeChanged(name, taken, false));
    else if (taken.length > 0) this.#log(describeAccepted(name, kept, { because: "new_version", items: taken }));
    this.#tell(shown.held, known);
    return shown;
  }

  /** A person's yes to these, as `listing` has them; `all`: nothing else is held. */
  accept(items: readonly HeldDefinition[], listing: Listing, all: boolean): void {
    const before = this.#accepted ?? LOST_SET;
    const incomplete = before.incomplete && !all;
    if (items.length === 0 && incomplete === before.incomplete) return;
    const grown = acceptDefinitions(before, items, listing.catalogue);
    const accepted = { ...grown, version: listing.version, origin: this.#origin, incomplete };
    for (const { tool } of items) this.#told.delete(tool);
    this.#keep(accepted, listing);
    this.#log(describeAccepted(this.#options.name, accepted, { because: "person", items }));
  }

  /** Resolves when what was to be written is, or could not be. */
  settled(): Promise<void> {
    return this.#writing;
  }

  #takeWhole(listing: Listing, before: AcceptedSet | null): void {
    const accepted = wholeSet(listing, this.#origin);
    const because = this.#expectsNewSet ? "upgrade" : "first_seen";
    this.#expectsNewSet = false;
    this.#told.clear();
    this.#keep(accepted, listing);
    this.#log(describeAccepted(this.#options.name, accepted, { because, items: everythingOf(accepted, before) }));
  }

  /** Once for each tool until somebody accepts it: a server that changes it again and again fills no log. */
  #tell(held: readonly HeldDefinition[], known: boolean): void {
    const fresh = held.filter(({ tool }) => !this.#told.has(tool));
    if (this.#told.size + fresh.length > MAX_TOOLS) return;
    for (const { tool } of fresh) this.#told.add(tool);
    if (fresh.length > 0 && !known) this.#log(describeChanged(this.#options.name, fresh, true));
  }

  #log(event: BundleEvent): void {
    this.#options.log(event);
  }

  #lost(error: Error): void {
    const { name, file, mode } = this.#options;
    const why = `what was accepted of ${name} cannot be read from ${file} (${error.message})`;
    const held = `${why}, so every tool of it is held; accept them: bailiwick bundle accept ${name}`;
    const message = mode === "hold" ? held : why;
    this.#accepted = mode === "hold" ? LOST_SET : null;
    this.#unreadable = message;
    this.#log({ type: "bundle.definitions_unreadable", name, message, data: { name } });
  }

  /** Writes when something differs; one after the other, each atomically. */
  #keep(accepted: AcceptedSet, listing: Listing): void {
    const kept = bounded(accepted, listing);
    const before = this.#accepted;
    this.#accepted = kept;
    if (before !== null && this.#written !== "" && isSame(before, kept)) return;
    // What is damaged stays as it is until somebody says yes to something.
    if (kept.incomplete && kept.tools.size === 0 && kept.instructions === null) return;
    const text = writePins(kept, this.#source);
    if (text === this.#written) return;
    this.#written = text;
    this.#writing = this.#writing.then(() => this.#write(text)).catch((error: Error) => this.#unsaved(error));
  }

  async #write(text: string): Promise<void> {
    if (text.length > MAX_BYTES) throw new Error("they are too large");
    await replaceFile(this.#options.file, text);
  }

  #unsaved({ message }: Error): void {
    const { name } = this.#options;
    this.#written = "";
    this.#log({
      type: "bundle.definitions_unsaved",
      name,
      message: `the accepted definitions of ${name} could not be kept for the next boot: ${message}`,
      data: { name },
    });
  }
}

/** Told apart without a look at every definition: a set that grew has another map. */
const isSame = (a: AcceptedSet, b: AcceptedSet): boolean =>
  a.tools === b.tools &&
  a.instructions === b.instructions &&
  a.version === b.version &&
  a.origin === b.origin &&
  a.incomplete === b.incomplete;

const bounded = (accepted: AcceptedSet, { catalogue }: Listing): AcceptedSet => {
  if (accepted.tools.size <= MAX_TOOLS) return accepted;
  const listed = new Set(catalogue.tools.map(({ name }) => name));
  return { ...accepted, tools: new Map([...accepted.tools].filter(([name]) => listed.has(name))) };
};
