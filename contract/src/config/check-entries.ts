/**
 * Rules between the fields of an entry and between entries. Reads the file's own values, so that an entry with other faults
 * is still checked; a value of a wrong type is the schema's matter.
 */
import { deriveProviderName, findProviderNameFault, PROVIDER_NAME } from "../provider-name.ts";
import type { Finding } from "./finding.ts";

type Entry = Readonly<Record<string, unknown>>;
type Kind = "name" | "path" | "url";

const KINDS: readonly Kind[] = ["name", "path", "url"];
const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_MAX_TIMEOUT_MS = 1_800_000;

/** Fields that have a meaning for some kinds only. */
const FIELD_KINDS: Readonly<Record<string, readonly Kind[]>> = {
  version: ["name"],
  args: ["name"],
  env: ["name", "path"],
  userConfig: ["name", "path"],
  allowedEnv: ["name", "path"],
  sandbox: ["name", "path"],
  transport: ["url"],
};

export interface EntryCheck {
  readonly errors: Finding[];
  readonly warnings: Finding[];
}

export const checkEntries = (bundles: unknown): EntryCheck => {
  const check: EntryCheck = { errors: [], warnings: [] };
  const holders = new Map<string, string>();
  if (!Array.isArray(bundles)) return check;
  bundles.forEach((entry: unknown, index) => {
    if (typeof entry !== "object" || entry === null || Array.isArray(entry)) return;
    const pointer = `/bundles/${index}`;
    checkFields(check, entry as Entry, pointer);
    checkName(check, entry as Entry, { pointer, holders });
  });
  return check;
};

const kindsOf = (entry: Entry): Kind[] => KINDS.filter((kind) => Object.hasOwn(entry, kind));

const checkFields = (check: EntryCheck, entry: Entry, pointer: string): void => {
  const found = kindsOf(entry);
  const [kind] = found;
  if (kind === undefined || found.length > 1) {
    const names = found.length === 0 ? "none" : found.join(", ");
    check.errors.push({ pointer, message: `give exactly one of name, path, url (found ${names})` });
    return;
  }
  if (kind === "url" && !Object.hasOwn(entry, "serverName")) {
    check.errors.push({ pointer: `${pointer}/serverName`, message: "missing; a url entry has no other name" });
  }
  for (const [field, kinds] of Object.entries(FIELD_KINDS)) {
    if (!Object.hasOwn(entry, field) || kinds.includes(kind)) continue;
    const message = `ignored: it has a meaning for ${kinds.join(" and ")} entries only, and this is a ${kind} entry`;
    check.warnings.push({ pointer: `${pointer}/${field}`, message });
  }
  const { timeoutMs = DEFAULT_TIMEOUT_MS, maxTimeoutMs = DEFAULT_MAX_TIMEOUT_MS } = entry;
  if (typeof timeoutMs === "number" && typeof maxTimeoutMs === "number" && timeoutMs > maxTimeoutMs) {
    const message = `timeoutMs (${timeoutMs}) is above maxTimeoutMs (${maxTimeoutMs}); lower the one or raise the other`;
    check.errors.push({ pointer, message });
  }
};

interface NameContext {
  readonly pointer: string;
  /** Name → pointer of the entry that has it. */
  readonly holders: Map<string, string>;
}

/** A name that is reserved or taken refuses its one entry when it starts, and not the whole file. */
const checkName = (check: EntryCheck, entry: Entry, { pointer, holders }: NameContext): void => {
  const explicit = typeof entry["serverName"] === "string";
  const at = explicit ? `${pointer}/serverName` : pointer;
  const name = explicit ? (entry["serverName"] as string) : deriveFrom(entry["name"]);
  if (name === null) {
    if (typeof entry["name"] !== "string") return;
    const message = "this entry will be refused: no provider name can be made of its name; set serverName";
    check.warnings.push({ pointer, message });
    return;
  }
  if (!PROVIDER_NAME.test(name)) return;
  const fault = findProviderNameFault(name);
  const holder = holders.get(name);
  if (fault !== null) {
    check.warnings.push({ pointer: at, message: `this entry will be refused: ${fault}` });
  } else if (holder !== undefined) {
    const message = `this entry will be refused (name_taken): ${holder} is already called "${name}"; give one of them another serverName`;
    check.warnings.push({ pointer: at, message });
  } else {
    holders.set(name, pointer);
  }
};

const deriveFrom = (name: unknown): string | null => (typeof name === "string" ? deriveProviderName(name) : null);
