/** What an import would add, what is there already, and what is skipped and why. Pure: reads nothing and writes nothing. */
import { basename, join } from "node:path";
import { DEFAULT_WORKSPACE } from "../kernel/workspace.ts";
import { ImportBundles } from "./import-bundles.ts";
import { ImportSettings } from "./import-settings.ts";
import type { FoundFile, ImportCopy, ImportPlace, ImportPlan, ImportSource, ImportStep } from "./import-step.ts";

export const planImport = (source: ImportSource, place: ImportPlace): ImportPlan => {
  const bundles = new ImportBundles(place);
  const isDefault = place.workspace === DEFAULT_WORKSPACE;
  const settings = new ImportSettings({ place, isDefault, variables: bundles.variables });
  for (const config of source.configs) {
    settings.config(config);
    const entries = config.value["bundles"];
    if (Array.isArray(entries)) for (const entry of entries as unknown[]) bundles.entry(entry, config);
  }
  for (const server of source.servers) bundles.server(server);
  const files = [
    ...source.skills.map((found) => planFile("skill", found, place.skillsDir)),
    ...source.conversations.map((found) => planFile("conversation", found, place.conversationsDir)),
  ];
  return {
    steps: [...bundles.steps, ...settings.steps, ...files.map(({ step }) => step)],
    variables: bundles.variables.wanted(),
    bundles: bundles.added,
    settings: settings.values,
    manifests: bundles.manifests,
    copies: files.flatMap(({ copy }) => (copy === null ? [] : [copy])),
  };
};

interface PlannedFile {
  readonly step: ImportStep;
  readonly copy: ImportCopy | null;
}

const planFile = (kind: "skill" | "conversation", found: FoundFile, dir: string | null): PlannedFile => {
  const { name, path, files, state, fault } = found;
  const done = (action: ImportStep["action"], notes: readonly string[], copy: ImportCopy | null): PlannedFile => ({
    step: { kind, from: name, to: action === "skip" ? null : name, action, notes },
    copy,
  });
  if (fault !== null) return done("skip", [fault], null);
  if (dir === null) return done("skip", ['"store" of this host keeps no conversations on disk'], null);
  if (state === "same") return done("there", [], null);
  // A conversation goes on after it was copied.
  if (state === "other" && kind === "conversation") return done("there", [], null);
  if (state === "other") return done("skip", [`another ${kind} of this name is in ${dir}; rename one of them`], null);
  return done("add", [], { kind, from: path, to: join(dir, basename(path)), files });
};
