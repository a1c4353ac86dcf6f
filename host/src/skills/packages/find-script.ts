/**
 * Which file of a package a tool is: the one it names, else the script of its name, else the only script there is. Whatever
 * is named is followed to where it really lies, which has to be a file of the package that its digest covers.
 */
import { realpath } from "node:fs/promises";
import { extname, isAbsolute, relative, resolve, sep } from "node:path";
import { systemReason } from "../skill-defect.ts";
import { quote } from "./diagnostics.ts";
import type { ScriptKind } from "./skill-package.ts";

export interface PackageFile {
  /** Below the package, with `/`. */
  readonly path: string;
  readonly executable: boolean;
}

export interface PackageLink {
  /** Below the package, with `/`. */
  readonly path: string;
  /** As the link has it. */
  readonly target: string;
}

interface ScriptWanted {
  readonly tool: string;
  /** As `tools.yaml` has it; null: it names none. */
  readonly sourceFile: string | null;
  readonly dir: string;
  readonly files: readonly PackageFile[];
  readonly links: readonly PackageLink[];
}

interface ScriptFault {
  readonly reason: "invalid_tool" | "path_outside_package";
  readonly message: string;
  readonly fix: string;
}

type FoundScript = { readonly path: string; readonly kind: ScriptKind } | { readonly fault: ScriptFault };

const FOLDER = "scripts/";
const KINDS: ReadonlyMap<string, ScriptKind> = new Map([
  [".py", "python"],
  [".js", "node"],
  [".mjs", "node"],
  [".cjs", "node"],
  [".ts", "typescript"],
  [".sh", "shell"],
]);

export const findScript = async (wanted: ScriptWanted): Promise<FoundScript> => {
  if (wanted.sourceFile === null) return byName(wanted);
  const file = await locateFile(wanted.dir, wanted.sourceFile, wanted.files);
  if (file === "outside") return { fault: outside("source_file") };
  if (file === "missing") {
    const message = `Its source_file ${shown(wanted.sourceFile)} is not a file of the package.`;
    return { fault: { reason: "invalid_tool", message, fix: "Put the script there, or name another one." } };
  }
  return toScript(file);
};

/** The file of the package that a path written in one of its files means. */
export const locateFile = async (
  dir: string,
  written: string,
  files: readonly PackageFile[],
): Promise<PackageFile | "outside" | "missing"> => {
  if (written.includes("\0")) return "missing";
  const named = resolve(dir, written);
  if (!isInside(dir, named)) return "outside";
  try {
    const real = await realpath(named);
    if (!isInside(dir, real)) return "outside";
    const path = relative(dir, real).split(sep).join("/");
    return files.find((file) => file.path === path) ?? "missing";
  } catch (error) {
    if (systemReason(error) === null) throw error;
    return "missing";
  }
};

export const outside = (what: string): ScriptFault => ({
  reason: "path_outside_package",
  message: `${what} leads out of the package.`,
  fix: "Put the file itself into the package and name it by a path relative to the package.",
});

const isInside = (dir: string, path: string): boolean => path.startsWith(dir.endsWith(sep) ? dir : dir + sep);

const byName = async (wanted: ScriptWanted): Promise<FoundScript> => {
  const { tool, files } = wanted;
  const scripts = files.filter(isScript);
  const isNamed = (each: { readonly path: string }): boolean => plain(stemOf(each)) === plain(tool);
  const links = scripts.some(isNamed) ? [] : wanted.links.filter((link) => isScript(link) && isNamed(link));
  if (links.length > 0) return byLink(links, wanted);
  const usable = scripts.filter((file) => kindOf(file) !== null);
  const exact = usable.filter((file) => stemOf(file) === tool);
  const alike = usable.filter(isNamed);
  const named = exact.length > 0 ? exact : alike;
  const [found, second] = named.length > 0 ? named : usable;
  if (found !== undefined && second === undefined) return { path: found.path, kind: kindOf(found) ?? "program" };
  if (named.length > 1) return { fault: several(named) };
  const lame = scripts.find(isNamed);
  if (lame !== undefined) return { fault: notExecutable(lame) };
  const message = `There is no script for ${quote(tool)} in ${FOLDER}.`;
  return { fault: { reason: "invalid_tool", message, fix: `Put ${FOLDER}${tool}.py there, or set source_file.` } };
};

const isScript = ({ path }: { readonly path: string }): boolean =>
  path.startsWith(FOLDER) && !path.includes("/", FOLDER.length);

/** The file of the package that the link of the tool's name leads to. */
const byLink = async (links: readonly PackageLink[], { dir, files }: ScriptWanted): Promise<FoundScript> => {
  const [link, second] = links;
  if (link === undefined || second !== undefined) return { fault: several(links) };
  const file = await locateFile(dir, link.path, files);
  if (file === "outside") return { fault: outside(`The link ${quote(link.path)}`) };
  if (file !== "missing") return toScript(file);
  const message = `${quote(link.path)} is a link that leads to no file of the package.`;
  return {
    fault: { reason: "invalid_tool", message, fix: "Put the script itself there, or let the link lead to it." },
  };
};

const several = (named: readonly { readonly path: string }[]): ScriptFault => {
  const names = named.map(({ path }) => quote(path)).slice(0, 3);
  const message = `Several scripts have its name: ${names.join(", ")}.`;
  return { reason: "invalid_tool", message, fix: "Say which one with source_file." };
};

const toScript = (file: PackageFile): FoundScript => {
  const kind = kindOf(file);
  return kind === null ? { fault: notExecutable(file) } : { path: file.path, kind };
};

const notExecutable = ({ path }: PackageFile): ScriptFault => ({
  reason: "invalid_tool",
  message: `${quote(path)} is no kind of script that the host knows, and is not executable.`,
  fix: `Make it executable (chmod +x), or use .py, .js, .mjs, .cjs, .ts or .sh.`,
});

/** Null: nothing runs it. */
const kindOf = ({ path, executable }: PackageFile): ScriptKind | null =>
  KINDS.get(extname(path).toLowerCase()) ?? (executable ? "program" : null);

const stemOf = ({ path }: { readonly path: string }): string => {
  const base = path.slice(path.lastIndexOf("/") + 1);
  return base.slice(0, base.length - extname(base).length);
};

const plain = (name: string): string => name.replaceAll("-", "_");

const shown = (path: string): string => (isAbsolute(path) || /^[A-Za-z]:|^\\/.test(path) ? "" : quote(path));
