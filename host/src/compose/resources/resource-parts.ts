/** What the resources of compose are made of: the parts of the workbench that are read for them. */
import type { SavedConfigs } from "../storage/saved-configs.ts";
import type { VersionStore } from "../storage/version-store.ts";
import type { GeneratorBook, Workbench } from "../workbench.ts";

export interface ResourceParts extends Pick<Workbench, "now"> {
  readonly versions: Pick<VersionStore, "contentIds" | "firstIds" | "versionsOf" | "readText">;
  readonly saved: Pick<SavedConfigs, "find" | "ids" | "list">;
  readonly generators: Pick<GeneratorBook, "look" | "seen">;
}
