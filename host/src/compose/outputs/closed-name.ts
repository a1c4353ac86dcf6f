/**
 * Names that nothing is written under, whatever root they lie in: what others read as a command, a rule or a config. Some of
 * them are not read either. Spellings that some file system takes for the same name count as that name. Pure.
 */
const MAX_BYTES = 255;
/** Some file systems read over these. */
const UNSEEN = /[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/gu;
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3]) *(?:\.|$)/iu;
const GIT = /^(?:\.git|git~[0-9]+)$/u;
const HOST_CONFIGS: ReadonlySet<string> = new Set(["bailiwick.json", "nimblebrain.json"]);
const HOST_CONFIG_FAULT = "the host reads its configuration from files of this name";
const TOPS: ReadonlyMap<string, string> = new Map([
  ["plugins", "plugins/ is for people alone"],
  ["configs", "configs/ holds saved configs, which only save_config writes"],
]);

/** As a careless file system would have it: without streams, without dots and blanks at the end, in lower case. */
const plainly = (name: string): string => {
  const [before = ""] = name.replaceAll(UNSEEN, "").normalize("NFKC").split(":", 1);
  return before.replace(/[. ]+$/u, "").toLowerCase();
};

/** Why no file may have this name, or lie in a folder of it; null: it may. */
export const nameFault = (name: string): string | null => {
  if (name.includes("\\")) return "a name has a \\; write / between names";
  if (Buffer.byteLength(name) > MAX_BYTES) return `a name in it has more than ${MAX_BYTES} bytes`;
  if (DEVICE.test(name)) return "a name in it is a device on some systems";
  return isHostConfig(name) ? HOST_CONFIG_FAULT : null;
};

const isHostConfig = (name: string): boolean => HOST_CONFIGS.has(plainly(name));

/** Of all names on the way to a file. */
export const isInGit = (names: readonly string[]): boolean => names.some((name) => GIT.test(plainly(name)));

/** Why nothing is read from there: either may hold secrets. Of all names on the way to a file; null: it may be read. */
export const readFault = (names: readonly string[]): string | null => {
  if (isInGit(names)) return "it lies in what git keeps for itself";
  return names.some(isHostConfig) ? HOST_CONFIG_FAULT : null;
};

/** Why nothing is written there: `names` lead from a root to the file. */
export const topFault = ([top = ""]: readonly string[]): string | null => TOPS.get(plainly(top)) ?? null;
