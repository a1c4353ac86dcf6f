/**
 * Reads `_meta["ai.nimblebrain/host"]`: its schema under a profile, and which host extensions the bundle requires.
 * Pure. The UI members are not looked into here.
 */
import { nearest } from "@bailiwick/contract";
import { Findings } from "./findings.ts";
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
  readonly errors: Findings;
  readonly warnings: Findings;
}

/** Nobody writes more by hand, and each unknown key is compared with all known ones. */
const MAX_KEYS = 100;

export const checkHostBlock = (meta: unknown, profile: ManifestProfile): HostBlockReading => {
  const notes: Notes = { errors: new Findings(), warnings: new Findings() };
  const required = isObject(meta) ? readBlock(meta, profile, notes) : [];
  return { errors: notes.errors.list(), warnings: notes.warnings.list(), required };
};

const readBlock = (meta: Record<string, unknown>, profile: ManifestProfile, notes: Notes): readonly string[] => {
  for (const old of OLD_BLOCKS) {
    if (old in meta) notes.warnings.push({ pointer: childPointer("/_meta", old), message: `old name; write ${BLOCK}` });
  }
  const block = meta[BLOCK];
  if (block === undefined) return [];
  if (!isObject(block)) {
    notes.errors.push({ pointer: POINTER, message: `must be an object (found ${shown(block)})` });
    return [];
  }
  checkVersion(block, profile, notes);
  checkKeys(block, profile, notes);
  return readCapabilities(block["host_capabilities"], notes);
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
  const unknown = Object.keys(block).filter((key) => !KNOWN_KEYS.includes(key));
  if (refuseTooMany(POINTER, unknown, notes)) return;
  for (const key of unknown) {
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

/** One that is passed over could be a misspelt requirement, so that none is. */
const refuseTooMany = (pointer: string, keys: readonly string[], { errors }: Notes): boolean => {
  if (keys.length <= MAX_KEYS) return false;
  errors.push({
    pointer,
    message: `has ${keys.length} keys; at most ${MAX_KEYS} are read`,
  });
  return true;
};

const readCapabilities = (value: unknown, notes: Notes): string[] => {
  const at = `${POINTER}/host_capabilities`;
  const required: string[] = [];
  if (value === undefined) return required;
  if (!isObject(value)) {
    notes.errors.push({ pointer: at, message: `must be an object (found ${shown(value)})` });
    return required;
  }
  if (refuseTooMany(at, Object.keys(value), notes)) return required;
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
