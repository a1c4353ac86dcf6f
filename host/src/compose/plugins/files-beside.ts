/**
 * What stands beside the plug-ins of a folder, at any depth: files that they may import. Other plug-ins are none of it, since each
 * has a digest of its own. Links count as what they say, and those to files as what is in the file too. A link to a folder is a
 * fault: what it leads to is not looked at.
 */
import { createHash, hash } from "node:crypto";
import { createReadStream, readdirSync, readlinkSync, statSync, type BigIntStats, type Dirent } from "node:fs";
import { join, relative, sep } from "node:path";

export interface FilesBeside {
  /** From the folder, sorted. */
  readonly names: readonly string[];
  /** Of sizes, times and identities; empty: there are none. */
  readonly signature: string;
  /** Why no plug-in of the folder is loaded; null: they are. */
  readonly fault: string | null;
}

const MAX_FILES = 2_000;
const MAX_BYTES = 50_000_000;

export const filesBeside = (folder: string, isPlugin: (name: string) => boolean): FilesBeside => {
  const signatures = new Map<string, string>();
  let bytes = 0;
  const waiting = [folder];
  for (let dir = waiting.pop(); dir !== undefined; dir = waiting.pop()) {
    for (const entry of entriesOf(dir)) {
      const path = join(dir, entry.name);
      const isPluginFile = dir === folder && isPlugin(entry.name);
      if (entry.isDirectory()) waiting.push(path);
      else if (entry.isSymbolicLink() || (entry.isFile() && !isPluginFile)) {
        const facts = factsOf(path);
        if (facts?.isDirectory() === true) return faulty(linked(relative(folder, path)), signatures);
        if (isPluginFile) continue;
        bytes += facts?.isFile() === true ? Number(facts.size) : 0;
        const about = facts === null ? "" : [facts.size, facts.mtimeNs, facts.ctimeNs, facts.ino].join(" ");
        signatures.set(relative(folder, path), about);
      }
      if (signatures.size + waiting.length > MAX_FILES) return faulty(tooMuch(`${MAX_FILES} files`), signatures);
      if (bytes > MAX_BYTES) return faulty(tooMuch(`${MAX_BYTES} bytes`), signatures);
    }
  }
  return { names: [...signatures.keys()].toSorted(), signature: signatureOf(signatures), fault: null };
};

/** Of one file, alone or with all beside it. SHA-256, hex. Rejects where one cannot be read. */
export const digestWithBeside = async (
  folder: string,
  name: string,
  beside: readonly string[],
): Promise<{ readonly own: string; readonly whole: string }> => {
  const own = await digestFile(join(folder, name));
  if (beside.length === 0) return { own, whole: own };
  const whole = createHash("sha256").update(lineOf(name, own));
  for (const each of beside) whole.update(lineOf(each, await digestEntry(join(folder, each))));
  return { own, whole: whole.digest("hex") };
};

/** The same on every system. */
const lineOf = (name: string, digest: string): string => `${name.replaceAll(sep, "/")}\0${digest}\n`;

const entriesOf = (dir: string): readonly Dirent[] => {
  try {
    return readdirSync(dir, { withFileTypes: true });
  } catch {
    // Whoever imports from there cannot read it either.
    return [];
  }
};

const signatureOf = (signatures: ReadonlyMap<string, string>): string =>
  signatures.size === 0 ? "" : hash("sha256", JSON.stringify([...signatures].toSorted(([a], [b]) => (a < b ? -1 : 1))));

/** Without the fault it is another folder, even if all that was seen before is the same. */
const faulty = (fault: string, signatures: ReadonlyMap<string, string>): FilesBeside => ({
  names: [],
  signature: `${signatureOf(signatures)} ${fault}`,
  fault,
});

const tooMuch = (most: string): string =>
  `Its folder has more than ${most} beside the plug-ins; keep there only what they import.`;

const linked = (name: string): string =>
  `Its folder has ${JSON.stringify(name)}, a link to a folder; put the folder itself there.`;

const digestEntry = async (path: string): Promise<string> => {
  const target = linkTarget(path);
  const facts = factsOf(path);
  // It was none when it was listed.
  if (facts?.isDirectory() === true) throw new Error("it is a folder now");
  const content = facts?.isFile() === true ? await digestFile(path) : "";
  return target === null ? content : `-> ${target} ${content}`;
};

/** Null: a link that leads nowhere, or what has gone meanwhile. */
const factsOf = (path: string): BigIntStats | null => {
  try {
    return statSync(path, { bigint: true });
  } catch {
    return null;
  }
};

const linkTarget = (path: string): string | null => {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
};

const digestFile = async (path: string): Promise<string> => {
  const sum = createHash("sha256");
  for await (const chunk of createReadStream(path)) sum.update(chunk as Buffer);
  return sum.digest("hex");
};
