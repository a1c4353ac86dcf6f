/**
 * Reads `_meta["ai.nimblebrain/host"]`: its schema under a profile, and which host extensions the bundle requires.
 * Pure. The UI members are not looked into here.
 */
import { nearest } from "@bailiwick/contract";
import type { ManifestFinding, ManifestProfile } from "./manifest.ts";
import { childPointer, isObject, shown } from "./shapes.ts";

const BLOCK = "ai.nimblebrain/host";
const OLD_BLOCKS = ["ai.nimblebrain/platform", "ai.nimblebrain/synapse"];
const POINTER = "/_meta/ai.nimblebrain~1host";
const KNOWN_KEYS = [
  "host_version",
  "host_capabilities",
  "name",
  "icon",
  "category",
  "primaryView",
  "placements",
  "settings",
  "briefing",
];
const EXTENSION_KEY = /^[a-z0-9-]+(\.[a-z0-9-]+)+\/[A-Za-z0-9._-]+$/;

export interface HostBlockReading {
  readonly errors: readonly ManifestFinding[];
  readonly warnings: readonly ManifestFinding[];
  /** Keys with `required: true`. */
  readonly required: readonly string[];
}

interface Notes {
  readonly errors: ManifestFinding[];
  readonly warnings: ManifestFinding[];
}

export const checkHostBlock = (meta: unknown, profile: ManifestProfile): HostBlockReading => {
  const notes: Notes = { errors: [], warnings: [] };
  if (!isObject(meta)) return { ...notes, required: [] };
  for (const old of OLD_BLOCKS) {
    if (old in meta) notes.warnings.push({ pointer: childPointer("/_meta", old), message: `old name; write ${BLOCK}` });
  }
  const block = meta[BLOCK];
  if (block === undefined) return { ...notes, required: [] };
  if (!isObject(block)) {
    notes.errors.push({ pointer: POINTER, message: `must be an object (found ${shown(block)})` });
    return { ...notes, required: [] };
  }
  checkVersion(block, profile, notes);
  checkKeys(block, profile, notes);
  return { ...notes, required: readCapabilities(block["host_capabilities"], notes) };
};

const checkVersion = (block: Record<string, unknown>, profile: ManifestProfile, notes: Notes): void => {
  const pointer = `${POINTER}/host_version`;
  const version = block["host_version"];
  const parts = typeof version === "string" ? /^(\d{1,6})\.(\d{1,6})$/.exec(version) : null;
  if (parts === null) {
    const found = version === undefined ? "it is missing" : `found ${shown(version)}`;
    notes.errors.push({ pointer, message: `must be "MAJOR.MINOR", "1.0" or "1.1" (${found})` });
    return;
  }
  const major = Number(parts[1]);
  const minor = Number(parts[2]);
  if (major > 1 || (major === 1 && minor > 1)) {
    notes.warnings.push({ pointer, message: `${parts[0]} is newer than the 1.1 this host knows` });
  }
  const knowsCapabilities = major > 1 || (major === 1 && minor >= 1);
  if (!knowsCapabilities && block["host_capabilities"] !== undefined) {
    const message = `host_capabilities needs host_version "1.1" (found "${parts[0]}")`;
    (profile === "strict" ? notes.errors : notes.warnings).push({ pointer, message });
  }
};

const checkKeys = (block: Record<string, unknown>, profile: ManifestProfile, notes: Notes): void => {
  for (const key of Object.keys(block)) {
    if (KNOWN_KEYS.includes(key)) continue;
    const pointer = childPointer(POINTER, key);
    // A requirement lost to a slip of the pen would degrade in silence.
    if (profile === "strict" && nearest(key, ["host_capabilities"], 2) !== null) {
      notes.errors.push({ pointer, message: 'unknown key; did you mean "host_capabilities"?' });
      continue;
    }
    const guess = nearest(key, KNOWN_KEYS, 2);
    const hint = guess === null ? "" : `; did you mean "${guess}"?`;
    notes.warnings.push({ pointer, message: `unknown key, ignored${hint}` });
  }
};

const readCapabilities = (value: unknown, notes: Notes): string[] => {
  const at = `${POINTER}/host_capabilities`;
  const required: string[] = [];
  if (value === undefined) return required;
  if (!isObject(value)) {
    notes.errors.push({ pointer: at, message: `must be an object (found ${shown(value)})` });
    return required;
  }
  for (const [key, declaration] of Object.entries(value)) {
    const pointer = childPointer(at, key);
    if (!EXTENSION_KEY.test(key)) {
      notes.errors.push({ pointer, message: "the key must look like reverse.dns/name" });
    }
    if (!isObject(declaration)) {
      notes.errors.push({ pointer, message: `must be an object (found ${shown(declaration)})` });
      continue;
    }
    for (const [member, setting] of Object.entries(declaration)) {
      const where = childPointer(pointer, member);
      if (member !== "required") {
        notes.errors.push({ pointer: where, message: 'unknown member; only "required" is known' });
      } else if (typeof setting !== "boolean") {
        notes.errors.push({ pointer: where, message: `must be true or false (found ${shown(setting)})` });
      }
    }
    if (declaration["required"] === true) required.push(key);
  }
  return required;
};
