/**
 * Decides what a package is: ready, held or broken. The first set that is seen of a package is accepted by that act; any
 * other one by a person. Both are recorded before they count.
 */
import { RESERVED_PROVIDER_NAMES } from "@bailiwick/contract";
import type { PackageDiagnostic, SkillSeen } from "../../kernel/skill-admin.ts";
import { toDiagnostic } from "./diagnostics.ts";
import { groupsOf, isAccepted, listPackage } from "./list-package.ts";
import { listTool, type Runners } from "./list-tool.ts";
import type { PackageListing } from "./package-listing.ts";
import type { AcceptedPackage, PackagePins } from "./package-pins.ts";
import type { PackageRow } from "./package-row.ts";
import type { SkillPackage } from "./skill-package.ts";

export interface JudgeOptions {
  readonly pins: PackagePins;
  readonly groups: () => Readonly<Record<string, readonly string[]>>;
  readonly isTaken: (name: string) => boolean;
  readonly which: Runners["which"];
  readonly typeStripping: boolean;
  readonly onEvent: (type: string, data: object) => Promise<void>;
  readonly report: (error: unknown) => void;
}

interface Standing {
  /** A provider of it is announced already: the name is its own. */
  readonly served: boolean;
  readonly before: PackageRow | undefined;
}

type Act = { readonly because: "first_seen" } | { readonly because: "person"; readonly by: string };

const MAX_LISTED = 100;

export class JudgePackages {
  readonly #options: JudgeOptions;
  /** By package, the digest of which somebody was told that it is held, or that it could not be taken. */
  readonly #told = new Map<string, string | null>();
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

  async judge(found: SkillPackage, standing: Standing): Promise<PackageRow> {
    const taken = standing.served ? null : this.#takenNote(found.name);
    const diagnostics = taken === null ? found.diagnostics : [...found.diagnostics, taken];
    if (taken !== null || !found.usable) return brokenRow(found, diagnostics, this.#options.pins.of(found.name));
    if (this.#options.pins.isNew(found.name)) await this.#takeFirst(found);
    const accepted = this.#options.pins.of(found.name);
    const ready = isAccepted(found, accepted);
    if (!ready) await this.#tellHeld(found, accepted);
    else this.#told.delete(found.name);
    return {
      found,
      state: ready ? "ready" : "held",
      reason: ready ? null : this.#heldReason(found.name, accepted),
      diagnostics,
      listing: this.#listing(found, accepted, standing.before?.listing ?? null),
      accepted: accepted?.digest ?? null,
    };
  }

  /** Rejects where it could not be recorded or kept; then it is not accepted. */
  async accept(found: SkillPackage, act: Act): Promise<void> {
    const { pins, onEvent } = this.#options;
    const { name, digest, version } = found;
    if (digest === null) return;
    const before = pins.of(name);
    const listed = found.tools.map((tool) => listTool(name, tool));
    const tools = new Map(listed.map((tool) => [tool.name, tool.json]));
    const named = listed.slice(0, MAX_LISTED).map((tool) => ({
      tool: tool.name,
      reason: before?.tools.has(tool.name) ? "definition_changed" : "definition_new",
      offered: tool.definition,
    }));
    const data = { package: name, ...act, version, before: before?.digest ?? null, digest, count: tools.size };
    await onEvent("package.accepted", { ...data, tools: named });
    await pins.accept(name, { digest, tools });
  }

  /** Once for each digest: what cannot be written now is a person's matter, or the next start's. */
  async #takeFirst(found: SkillPackage): Promise<void> {
    if (this.#told.get(found.name) === found.digest) return;
    try {
      await this.accept(found, { because: "first_seen" });
    } catch (error) {
      this.#told.set(found.name, found.digest);
      this.#options.report(error);
    }
  }

  async #tellHeld({ name, digest }: SkillPackage, accepted: AcceptedPackage | null): Promise<void> {
    if (this.#told.get(name) === digest) return;
    this.#told.set(name, digest);
    const data = { package: name, accepted: accepted?.digest ?? null, digest };
    await this.#options.onEvent("package.held", data).catch(this.#options.report);
  }

  #heldReason(name: string, accepted: AcceptedPackage | null): string {
    const why =
      accepted === null
        ? "What was accepted of it is not known, so nothing of it runs"
        : "It was changed on disk, and nobody has accepted that";
    return `${why}: look at it, then run: bailiwick skill accept ${name}`;
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

const brokenRow = (
  found: SkillPackage,
  diagnostics: readonly PackageDiagnostic[],
  accepted: AcceptedPackage | null,
): PackageRow => {
  const state: SkillSeen["state"] = "broken";
  const worst = diagnostics.find(({ warning }) => warning !== true);
  return {
    found,
    state,
    reason: worst?.message ?? "None of its tools can be served.",
    diagnostics,
    listing: { tools: [], byName: new Map(), dir: found.dir, version: found.version },
    accepted: accepted?.digest ?? null,
  };
};
