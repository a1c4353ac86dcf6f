/** A package while it is served: its provider, what that lists now, and whether its files are still those. */
import type { RunScript } from "../../kernel/script.ts";
import { SkillDefect, systemReason } from "../skill-defect.ts";
import { hashFiles, seeFiles } from "./package-files.ts";
import type { PackageListing } from "./package-listing.ts";
import type { PackageRow } from "./package-row.ts";
import { createPackageProvider, type PackageProvider } from "./run/create-package-provider.ts";

export interface ServedPackageOptions {
  readonly row: PackageRow;
  readonly run: RunScript;
  /** By the operator; of those it is given what it asks for. */
  readonly grants: () => readonly string[];
  /** Its files were found to be others. */
  readonly onChanged: () => void;
}

export class ServedPackage {
  readonly provider: PackageProvider;
  readonly #onChanged: () => void;
  #row: PackageRow;
  /** Of the files when they last had the digest that was accepted. */
  #mark: string | null = null;

  constructor({ row, run, grants, onChanged }: ServedPackageOptions) {
    this.#row = row;
    this.#onChanged = onChanged;
    this.provider = createPackageProvider({
      name: row.found.name,
      run,
      grants: () => grants().filter((name) => this.#row.found.env.includes(name)),
      isIntact: () => this.#isIntact(),
      listed: (): PackageListing => this.#row.listing,
    });
  }

  /** True: it lists something else. */
  take(row: PackageRow): boolean {
    const { listing, accepted } = this.#row;
    if (accepted !== row.accepted || listing.dir !== row.listing.dir) this.#mark = null;
    this.#row = row;
    return listing !== row.listing;
  }

  async #isIntact(): Promise<boolean> {
    const { state, accepted, listing } = this.#row;
    if (state !== "ready" || accepted === null) return false;
    try {
      const seen = await seeFiles(listing.dir);
      if (seen.mark === this.#mark) return true;
      const { digest } = await hashFiles(seen, () => false);
      if (digest === accepted) {
        if (!seen.isFresh && this.#row.accepted === accepted) this.#mark = seen.mark;
        return true;
      }
    } catch (error) {
      if (!(error instanceof SkillDefect) && systemReason(error) === null) throw error;
    }
    this.#onChanged();
    return false;
  }
}
