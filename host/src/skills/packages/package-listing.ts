/** What the provider of a package is made of: how its scripts are run, and what it lists at this moment. */
import type { ListedTool } from "../../kernel/provider.ts";
import type { RunScript } from "../../kernel/script.ts";
import type { PackageTool } from "./skill-package.ts";

export interface PackageListing {
  /** As they are given out: held ones with the definition that was accepted. */
  readonly tools: readonly ListedTool[];
  /** As they are on disk, those that may run: a held or new one is not among them. */
  readonly byName: ReadonlyMap<string, PackageTool>;
  /** Absolute, real. */
  readonly dir: string;
  readonly version: string;
}

export interface PackageProviderOptions {
  readonly name: string;
  readonly run: RunScript;
  /** False: what is on disk is not what a person accepted. Asked right before each start. */
  readonly isIntact: () => Promise<boolean>;
  /** Variables of the host that this package asks for and an operator granted to it; asked each time. */
  readonly grants: () => readonly string[];
  /** The same object while nothing changed. */
  readonly listed: () => PackageListing;
}
