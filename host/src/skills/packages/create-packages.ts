/**
 * The skill packages of one workspace: found on disk, compared with what was accepted, and announced as providers. What
 * changes on disk is held until a person takes it; what is gone ends with its processes.
 */
import { Refusal } from "../../kernel/refusal.ts";
import type { ProviderSink } from "../../kernel/provider.ts";
import type { RunScript } from "../../kernel/script.ts";
import type { PackageDetail, PackageDiagnostic, SkillSeen } from "../../kernel/skill-admin.ts";
import { Looking } from "../looking.ts";
import { groupsOf } from "./list-package.ts";
import type { Runners } from "./list-tool.ts";
import { JudgePackages } from "./judge-packages.ts";
import { PackageLibrary, type FoundPackages, type SkillDir } from "./package-library.ts";
import { PackagePins } from "./package-pins.ts";
import { detailRow, seeRow, type PackageRow, type RequirementsByName } from "./package-row.ts";
import { ServedPackage } from "./served-package.ts";

export interface PackagesOptions {
  /** In load order; asked each time. */
  readonly dirs: () => readonly SkillDir[];
  /** Where is kept what was accepted. */
  readonly pinsFile: string;
  /** By package, the groups that the configuration switches on. */
  readonly groups: () => Readonly<Record<string, readonly string[]>>;
  /** Variables of the host that a package is granted. */
  readonly grants: (name: string) => readonly string[];
  readonly run: RunScript;
  readonly sink: ProviderSink;
  /** A bundle or the host itself has this name. */
  readonly isTaken: (name: string) => boolean;
  /** A call may write there: what appears there is not accepted unseen. Absolute paths. */
  readonly isWritable: (path: string) => boolean;
  /** Where a program lies on the scripts' search path; null: it is not there. */
  readonly which: Runners["which"];
  /** Rejects where it is not durable; then what it says has not happened. */
  readonly onEvent: (type: string, data: object) => Promise<void>;
  /** What people see of packages or skills is not what it was. */
  readonly onChange: () => void;
  readonly report: (error: unknown) => void;
  readonly checkMs?: number;
}

export interface Packages {
  seen(requirements: RequirementsByName): readonly SkillSeen[];
  detail(name: string, requirements: RequirementsByName): PackageDetail | null;
  /** What is odd about skills that are no packages, by their folder as its directory names it. */
  notes(): ReadonlyMap<string, readonly PackageDiagnostic[]>;
  /** Why the package whose `SKILL.md` has this SHA-256 is not as somebody accepted it, or cannot be used; null: it can. */
  reasonOf(name: string, manifest: string): string | null;
  /** A provider of this name is served from here. */
  has(name: string): boolean;
  /** Takes a package as it is on disk. Refusal `not_found`, `stale_surface`, `bad_request`. */
  accept(name: string, digest: string, by: string): Promise<void>;
  /** Looks at the directories now. Never rejects. */
  refresh(): Promise<void>;
  /** When the directories have been looked at for the first time. */
  readonly ready: Promise<void>;
  /** Resolves when no process of any package is left. */
  close(): Promise<void>;
}

export const createPackages = (options: PackagesOptions): Packages => new WorkspacePackages(options);

class WorkspacePackages implements Packages {
  readonly ready: Promise<void>;
  readonly #options: PackagesOptions;
  readonly #library = new PackageLibrary();
  readonly #pins: PackagePins;
  readonly #judge: JudgePackages;
  readonly #looking: Looking;
  readonly #served = new Map<string, ServedPackage>();
  readonly #ending = new Set<Promise<void>>();
  #rows: ReadonlyMap<string, PackageRow> = new Map();
  #notes: FoundPackages["notes"] = new Map();
  #told = "[]";

  constructor(options: PackagesOptions) {
    this.#options = options;
    this.#pins = new PackagePins(options.pinsFile);
    this.#judge = new JudgePackages({
      ...options,
      pins: this.#pins,
      typeStripping: process.features.typescript !== false,
    });
    const read = this.#judge.open();
    this.#looking = new Looking({ look: () => read.then(() => this.#look()), checkMs: options.checkMs });
    this.ready = this.#looking.refresh();
  }

  seen(requirements: RequirementsByName): readonly SkillSeen[] {
    return [...this.#rows.values()].map((row) => seeRow(row, requirements));
  }

  detail(name: string, requirements: RequirementsByName): PackageDetail | null {
    const row = this.#rows.get(name);
    if (row === undefined) return null;
    const { grants, groups } = this.#options;
    const logs = this.#served.get(name)?.provider.logs() ?? [];
    const switchedOn = groupsOf(groups(), name);
    const changes = this.#judge.changes(row);
    return detailRow(row, { requirements, granted: grants(name), switchedOn, changes, logs });
  }

  notes(): FoundPackages["notes"] {
    return this.#notes;
  }

  reasonOf(name: string, manifest: string): string | null {
    const row = this.#rows.get(name);
    if (row?.state === "ready") return row.found.manifest === manifest ? null : UNSEEN;
    return row === undefined ? UNSEEN : (row.reason ?? worstReason(name));
  }

  has(name: string): boolean {
    return this.#served.has(name);
  }

  async accept(name: string, digest: string, by: string): Promise<void> {
    await this.refresh();
    const row = this.#rows.get(name);
    if (row === undefined) throw notFound(name);
    if (row.state === "broken" || !row.found.usable) throw broken(name);
    if (row.found.digest !== digest) throw stale(name, row.found.digest);
    if (row.accepted === digest) return;
    await this.#judge.accept(row.found, { because: "person", by });
    await this.refresh();
  }

  refresh(): Promise<void> {
    return this.#looking.refresh();
  }

  async close(): Promise<void> {
    await this.#looking.close();
    for (const name of this.#served.keys()) this.#end(name);
    await Promise.all(this.#ending);
  }

  async #look(): Promise<void> {
    const { dirs, report, onChange } = this.#options;
    try {
      const { packages, notes } = await this.#library.load(dirs());
      this.#pins.keep(packages.keys());
      const rows = new Map<string, PackageRow>();
      for (const [name, found] of packages) {
        const row = await this.#judge.judge(found, this.#rows.get(name));
        rows.set(name, row);
      }
      if (this.#looking.closed) return;
      this.#rows = rows;
      this.#notes = notes;
      this.#announce();
      const told = JSON.stringify([...rows.values()].map(toldOf).concat([...notes]));
      if (told !== this.#told) onChange();
      this.#told = told;
    } catch (bug) {
      report(bug);
    }
  }

  #announce(): void {
    const { sink, run, grants } = this.#options;
    for (const name of this.#served.keys()) if (!isServable(this.#rows.get(name))) this.#end(name);
    for (const [name, row] of this.#rows) {
      const known = this.#served.get(name);
      if (known !== undefined) {
        if (known.take(row)) sink.changed(name);
      } else if (isServable(row)) {
        const served = new ServedPackage({
          row,
          run,
          grants: () => grants(name),
          onChanged: () => void this.refresh(),
        });
        this.#served.set(name, served);
        sink.add(served.provider);
      }
    }
  }

  #end(name: string): void {
    const served = this.#served.get(name);
    if (served === undefined) return;
    this.#served.delete(name);
    this.#options.sink.remove(name, served.provider);
    const ending = served.provider.close().catch(this.#options.report);
    this.#ending.add(ending);
    void ending.then(() => this.#ending.delete(ending));
  }
}

const UNSEEN = "It was changed on disk, and is looked at in a moment; see what it is then: bailiwick skill list";

const worstReason = (name: string): string => `It cannot be used; see why: bailiwick skill info ${name}`;

const isServable = (row: PackageRow | undefined): boolean => row !== undefined && row.state !== "broken";

const toldOf = ({ found, state, reason, diagnostics, accepted, listing }: PackageRow): unknown => [
  [found.name, found.description, found.source, found.digest, state, reason, accepted],
  [diagnostics, listing.tools.map(({ name, held, barred }) => [name, held, barred])],
];

const quoted = (name: string): string => JSON.stringify(name.slice(0, 64));

const notFound = (name: string): Refusal =>
  new Refusal("not_found", {
    message: `There is no skill package ${quoted(name)} in this workspace.`,
    next: "List them: bailiwick skill list",
  });

const broken = (name: string): Refusal =>
  new Refusal("bad_request", {
    message: `Nothing of the skill package ${quoted(name)} can be served, so there is nothing to accept.`,
    next: `Mend what its diagnostics say: bailiwick skill info ${name}`,
  });

const stale = (name: string, digest: string | null): Refusal =>
  new Refusal("stale_surface", {
    message: `The skill package ${quoted(name)} was changed on disk since it was looked at, so nothing was accepted.`,
    next: `Look at it again: bailiwick skill info ${name}`,
    details: { package: name, digest },
  });
