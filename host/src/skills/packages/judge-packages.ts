/**
 * Decides what a package is: ready, held or broken. The first set that is seen of a package is accepted by that act; any
 * other one by a person. Both are recorded before they count.
 */
import { RESERVED_PROVIDER_NAMES } from "@bailiwick/contract";
import type { PackageChanges, PackageDiagnostic, SkillSeen } from "../../kernel/skill-admin.ts";
import { quote, toDiagnostic } from "./diagnostics.ts";
import { groupsOf, holdListing, isAccepted, listPackage } from "./list-package.ts";
import { listTool, toolDigest, type Runners } from "./list-tool.ts";
import { packageChanges } from "./package-changes.ts";
import type { PackageListing } from "./package-listing.ts";
import type { AcceptedPackage, PackagePins } from "./package-pins.ts";
import type { PackageRow } from "./package-row.ts";
import type { SkillPackage } from "./skill-package.ts";
import { ToldDigests } from "./told-digests.ts";

export interface JudgeOptions {
  readonly pins: PackagePins;
  readonly groups: () => Readonly<Record<string, readonly string[]>>;
  readonly grants: (name: string) => readonly string[];
  readonly isTaken: (name: string) => boolean;
  readonly isWritable: (path: string) => boolean;
  readonly which: Runners["which"];
  readonly typeStripping: boolean;
  readonly onEvent: (type: string, data: object) => Promise<void>;
  readonly report: (error: unknown) => void;
}

type Act = { readonly because: "first_seen" } | { readonly because: "person"; readonly by: string };

const MAX_LISTED = 100;

export class JudgePackages {
  readonly #options: JudgeOptions;
  /** That they are held, or could not be taken. */
  readonly #told = new ToldDigests();
  /** What each listing was made of. */
  readonly #madeOf = new WeakMap<PackageListing, readonly unknown[]>();

  constructor(options: JudgeOptions) {
    this.#options = options;
  }

  async open(): Promise<void> {
    const { pins, onEvent, report } = this.#options;
    await pins.read();
    if (pins.defect !== null) await onEvent("package.pins_unreadable", { reason: pins.defect }).catch(report);
  }

  /** `before`: what it was found to be last. */
  async judge(found: SkillPackage, before: PackageRow | undefined): Promise<PackageRow> {
    const taken = this.#takenNote(found.name);
    const notes = [...(taken === null ? [] : [taken]), ...this.#configNotes(found)];
    const diagnostics = notes.length === 0 ? found.diagnostics : [...found.diagnostics, ...notes];
    const wasServed = before !== undefined && before.state !== "broken";
    if (taken === null && !found.usable && wasServed) return this.#keepServed(found, diagnostics, before);
    if (taken !== null || !found.usable) return brokenRow(found, diagnostics, this.#options.pins.of(found.name));
    if (this.#options.pins.isNew(found.name) && !this.#isExposed(found)) await this.#takeFirst(found);
    const accepted = this.#options.pins.of(found.name);
    const ready = isAccepted(found, accepted);
    if (!ready) await this.#tellHeld(found, accepted);
    return {
      found,
      state: ready ? "ready" : "held",
      reason: ready ? null : this.#heldReason(found, accepted),
      diagnostics,
      listing: this.#listing(found, accepted, before?.listing ?? null),
      accepted: accepted?.digest ?? null,
    };
  }

  /** Null: it is not held, or what was accepted of it is not known. */
  changes({ state, found }: PackageRow): PackageChanges | null {
    const accepted = this.#options.pins.of(found.name);
    return state === "held" && found.digest !== null && accepted !== null ? packageChanges(found, accepted) : null;
  }

  /** Rejects where it could not be recorded or kept; then it is not accepted. */
  async accept(found: SkillPackage, act: Act): Promise<void> {
    const { pins, onEvent } = this.#options;
    const { name, digest, version } = found;
    if (digest === null) return;
    const before = pins.of(name);
    const listed = found.tools.map((tool) => listTool(found, tool));
    const tools = new Map(
      found.tools.map((tool) => [tool.name, { json: listTool(found, tool).json, own: toolDigest(found, tool) }]),
    );
    const named = listed.slice(0, MAX_LISTED).map((tool) => ({
      tool: tool.name,
      reason: before?.tools.has(tool.name) ? "definition_changed" : "definition_new",
      offered: tool.definition,
    }));
    const data = { package: name, ...act, version, before: before?.digest ?? null, digest, count: tools.size };
    await onEvent("package.accepted", { ...data, tools: named });
    await pins.accept(name, { digest, tools, files: found.files });
    this.#told.forget(name);
  }

  /** Once for each digest: what cannot be written now is a person's matter, or the next start's. */
  async #takeFirst(found: SkillPackage): Promise<void> {
    if (this.#told.has(found.name, found.digest)) return;
    try {
      await this.accept(found, { because: "first_seen" });
    } catch (error) {
      this.#told.add(found.name, found.digest);
      this.#options.report(error);
    }
  }

  async #tellHeld({ name, digest }: SkillPackage, accepted: AcceptedPackage | null): Promise<void> {
    if (this.#told.has(name, digest)) return;
    this.#told.add(name, digest);
    const data = { package: name, accepted: accepted?.digest ?? null, digest };
    await this.#options.onEvent("package.held", data).catch(this.#options.report);
  }

  #heldReason(found: SkillPackage, accepted: AcceptedPackage | null): string {
    const isUnseen = this.#options.pins.isNew(found.name) && this.#isExposed(found);
    const unknown = isUnseen ? EXPOSED : "What was accepted of it is not known, so nothing of it runs";
    const why = accepted === null ? unknown : "It was changed on disk, and nobody has accepted that";
    return `${why}: look at it, then run: bailiwick skill accept ${found.name}`;
  }

  /** What calls can write may be written by a call, so that it is seen is no yes of anybody's. */
  #isExposed({ dir, folder }: SkillPackage): boolean {
    return this.#options.isWritable(dir) || this.#options.isWritable(folder);
  }

  /** It cannot be read, or not served, at this moment: perhaps it is being written. What runs of it may end. */
  async #keepServed(
    found: SkillPackage,
    diagnostics: readonly PackageDiagnostic[],
    before: PackageRow,
  ): Promise<PackageRow> {
    const { digest, files, dir, folder } = found;
    const accepted = this.#options.pins.of(found.name);
    await this.#tellHeld(found, accepted);
    return {
      found: { ...before.found, digest, files, dir, folder, usable: false, diagnostics: found.diagnostics },
      state: "held",
      reason: `${worstOf(diagnostics)} Nothing of it runs until that is mended: bailiwick skill info ${found.name}`,
      diagnostics,
      listing: before.state === "held" ? before.listing : holdListing(before.listing, accepted),
      accepted: accepted?.digest ?? null,
    };
  }

  #takenNote(name: string): PackageDiagnostic | null {
    if (!RESERVED_PROVIDER_NAMES.has(name) && !this.#options.isTaken(name)) return null;
    return toDiagnostic(name, {
      reason: "invalid_frontmatter_shape",
      place: { pointer: "SKILL.md#/name", line: 1 },
      message: `The name ${JSON.stringify(name)} belongs to a bundle or to the host itself, so its tools are not served.`,
      fix: "Give the package another name.",
    });
  }

  /** What the configuration says of it and it knows nothing of. */
  #configNotes({ name, usable, groups, env }: SkillPackage): readonly PackageDiagnostic[] {
    if (!usable) return [];
    const strange = groupsOf(this.#options.groups(), name).filter(
      (each) => !groups.some((group) => group.name === each),
    );
    const unasked = this.#options.grants(name).filter((each) => !env.includes(each));
    const note = (message: string, fix: string): PackageDiagnostic =>
      toDiagnostic(name, { reason: "invalid_tool", message, fix, warning: true });
    return [
      ...strange.map((each) => {
        const message = `capabilities.groups.${name} switches on ${quote(each)}, and it has no such group.`;
        return note(message, "Take it out of bailiwick.json, or write the name as tools.yaml has it.");
      }),
      ...unasked.map((each) => {
        const message = `capabilities.env.${name} grants ${quote(each)}, which it does not ask for and is not given.`;
        return note(message, `Take it out of bailiwick.json, or name it in metadata.dcc-mcp.env of SKILL.md.`);
      }),
    ];
  }

  /** The one there was, if it would be the same. */
  #listing(found: SkillPackage, accepted: AcceptedPackage | null, before: PackageListing | null): PackageListing {
    const { groups, which, typeStripping } = this.#options;
    const switchedOn = groupsOf(groups(), found.name);
    const runners = { which, typeStripping };
    const parts = [found.digest, found.dir, accepted, [...switchedOn].toSorted().join("\n"), which("python3") === null];
    const known = before === null ? undefined : this.#madeOf.get(before);
    if (before !== null && known !== undefined && parts.every((part, i) => part === known[i])) return before;
    const listing = listPackage(found, { accepted, switchedOn, runners });
    this.#madeOf.set(listing, parts);
    return listing;
  }
}

const EXPOSED = "It lies where tools can write files, and nobody has accepted it";

const worstOf = (diagnostics: readonly PackageDiagnostic[]): string =>
  diagnostics.find(({ warning }) => warning !== true)?.message ?? "None of its tools can be served.";

const brokenRow = (
  found: SkillPackage,
  diagnostics: readonly PackageDiagnostic[],
  accepted: AcceptedPackage | null,
): PackageRow => {
  const state: SkillSeen["state"] = "broken";
  return {
    found,
    state,
    reason: worstOf(diagnostics),
    diagnostics,
    listing: { tools: [], byName: new Map(), dir: found.dir, version: found.version },
    accepted: accepted?.digest ?? null,
  };
};
