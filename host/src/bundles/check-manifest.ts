/**
 * Decides whether a parsed `manifest.json` is one the host can start from, and reports everything that is wrong with it.
 * Pure; the file is read in `read-manifest.ts`.
 */
import { checkHostBlock } from "./check-host-block.ts";
import { Findings } from "./findings.ts";
import type { Manifest, ManifestFinding, ManifestProfile } from "./manifest.ts";
import {
  anyObject,
  flag,
  isObject,
  listOf,
  mapOf,
  name,
  number,
  objectOf,
  oneOf,
  scalarOrTexts,
  shown,
  text,
  url,
  type Shape,
  type ShapeFinding,
  type ShapeFindings,
} from "./shapes.ts";

export interface ManifestReading {
  /** Null when there is an error. */
  readonly manifest: Manifest | null;
  /** The first of them. */
  readonly errors: readonly ManifestFinding[];
  readonly errorCount: number;
  readonly warnings: readonly ManifestFinding[];
  /** Host extensions without which the bundle is useless. */
  readonly requiredExtensions: readonly string[];
}

const COMMAND = { "args?": listOf(text), "env?": mapOf(text) };
const MCP_CONFIG = objectOf({
  command: name,
  ...COMMAND,
  "platform_overrides?": mapOf(objectOf({ "command?": name, ...COMMAND })),
});
const SERVER: Shape = objectOf({
  type: oneOf("node", "python", "binary"),
  entry_point: name,
  mcp_config: MCP_CONFIG,
});
const UV_SERVER: Shape = objectOf({ type: oneOf("uv"), entry_point: name, "mcp_config?": MCP_CONFIG });

const MANIFEST = objectOf({
  "$schema?": text,
  "dxt_version?": text,
  "manifest_version?": text,
  name,
  "display_name?": text,
  version: name,
  description: text,
  "long_description?": text,
  author: objectOf({ name: text, "email?": text, "url?": url }),
  "repository?": objectOf({ type: text, url }),
  "homepage?": url,
  "documentation?": url,
  "support?": url,
  "icon?": text,
  "icons?": listOf(objectOf({ src: text, size: text, "theme?": text })),
  "screenshots?": listOf(text),
  "localization?": objectOf({ resources: text, default_locale: text }),
  server: anyObject,
  "tools?": listOf(objectOf({ name: text, "description?": text })),
  "tools_generated?": flag,
  "prompts?": listOf(objectOf({ name: text, "description?": text, "arguments?": listOf(text), text })),
  "prompts_generated?": flag,
  "keywords?": listOf(text),
  "license?": text,
  "privacy_policies?": listOf(url),
  "compatibility?": objectOf({
    "claude_desktop?": text,
    "platforms?": listOf(oneOf("darwin", "win32", "linux")),
    "runtimes?": objectOf({ "python?": text, "node?": text }),
  }),
  "user_config?": mapOf(
    objectOf({
      type: oneOf("string", "number", "boolean", "directory", "file"),
      title: text,
      description: text,
      "required?": flag,
      "default?": scalarOrTexts,
      "multiple?": flag,
      "sensitive?": flag,
      "min?": number,
      "max?": number,
    }),
  ),
  "_meta?": mapOf(anyObject),
});

/** Missing members that the tolerant profile does without. */
const OPTIONAL_IF_TOLERANT = new Set(["/description", "/author", "/author/name", "/server/entry_point"]);

export const checkManifest = (value: unknown, profile: ManifestProfile): ManifestReading => {
  const errors = new Findings();
  const warnings = new Findings();
  const found: ShapeFindings = {
    push: (finding) => (profile === "tolerant" && isForgivable(finding) ? warnings : errors).push(finding),
  };
  MANIFEST(value, "", found);
  if (!isObject(value)) return readingOf({ errors, warnings }, null, []);
  const version = checkVersion(value, found);
  if (isObject(value["server"])) {
    const isUv = version === "0.4" && value["server"]["type"] === "uv";
    (isUv ? UV_SERVER : SERVER)(value["server"], "/server", found);
  }
  const block = checkHostBlock(value["_meta"], profile);
  for (const error of block.errors) errors.push(error);
  for (const warning of block.warnings) warnings.push(warning);
  return readingOf({ errors, warnings }, errors.count === 0 ? (value as unknown as Manifest) : null, block.required);
};

const isForgivable = ({ kind, pointer }: ShapeFinding): boolean =>
  kind === "unknown" || (kind === "missing" && OPTIONAL_IF_TOLERANT.has(pointer));

const readingOf = (
  { errors, warnings }: { readonly errors: Findings; readonly warnings: Findings },
  manifest: Manifest | null,
  requiredExtensions: readonly string[],
): ManifestReading => ({
  manifest,
  errors: errors.list(),
  errorCount: errors.count,
  warnings: warnings.list(),
  requiredExtensions,
});

const checkVersion = (value: Record<string, unknown>, found: ShapeFindings): string | null => {
  const key =
    value["manifest_version"] === undefined && value["dxt_version"] !== undefined ? "dxt_version" : "manifest_version";
  const version = value[key];
  if (version === "0.3" || version === "0.4") return version;
  const got = version === undefined ? "it is missing" : `found ${shown(version)}`;
  found.push({ pointer: `/${key}`, message: `must be "0.3" or "0.4" (${got})`, kind: "wrong" });
  return null;
};
