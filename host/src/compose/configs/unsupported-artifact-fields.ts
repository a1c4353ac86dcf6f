/**
 * What an artifact config may say and nothing here does. Pure.
 * Kept as documentation, and not told: `schemaRef`, `metadata.version`, `metadata.description`, `evolution.history`, ids of
 * rules, and all that begins with `x-`.
 */
import type { ArtifactConfig, ArtifactOutput } from "./config-types.ts";
import type { ConfigWarning } from "./config-reading.ts";
import { idleRuleSettings } from "./idle-rule-settings.ts";
import { readDependency } from "./read-dependency.ts";
import { savedPathOf } from "./saved-path-of.ts";

const warn = (pointer: string, message: string): ConfigWarning => ({ code: "unsupported_field", pointer, message });

export const unsupportedArtifactFields = (config: ArtifactConfig): ConfigWarning[] => [
  ...config.metadata.outputs.flatMap(aboutOutput),
  ...aboutComposition(config.metadata),
  ...config.content.children.flatMap(({ id, path }, at) =>
    path === undefined || path === savedPathOf("content", id)
      ? []
      : [warn(`/content/children/${at}/path`, `Content is found by its id, at ${savedPathOf("content", id)}.`)],
  ),
  ...(config.dependencies ?? []).flatMap(aboutDependency),
  ...idleRuleSettings(config.validation?.rules ?? []),
];

const DEPENDENCY_KEYS = new Set(["id", "type", "required"]);

const aboutDependency = (given: unknown, at: number): ConfigWarning[] => {
  const read = readDependency(given);
  const keys = read === null || typeof given === "string" ? [] : Object.keys(given as object);
  if (read !== null && keys.every((key) => DEPENDENCY_KEYS.has(key) || key.startsWith("x-"))) return [];
  const form = 'A dependency is an id, or {"id", "type": "artifact" or "content", "required"}';
  return [warn(`/dependencies/${at}`, `${form}; nothing reads ${read === null ? "another" : "more of it"}.`)];
};

const aboutOutput = (output: ArtifactOutput, at: number): ConfigWarning[] => {
  const { encoding = "utf-8" } = output;
  const found: ConfigWarning[] = [];
  if (!/^utf-?8$/i.test(encoding)) found.push(warn(`/metadata/outputs/${at}/encoding`, "Files are written as UTF-8."));
  if (Object.hasOwn(output, "language_dialect"))
    found.push(warn(`/metadata/outputs/${at}/language_dialect`, "Nothing reads the dialect of an output."));
  return found;
};

const aboutComposition = ({ compositionStrategy = "concat", compositionConfig = {} }: ArtifactConfig["metadata"]) => {
  const used = { concat: ["separator"], merge: ["arrays"], template: ["template", "separator"] }[compositionStrategy];
  return ["separator", "template", "arrays"]
    .filter((name) => Object.hasOwn(compositionConfig, name) && !used.includes(name))
    .map((name) =>
      warn(`/metadata/compositionConfig/${name}`, `The strategy ${compositionStrategy} does not use ${name}.`),
    );
};
