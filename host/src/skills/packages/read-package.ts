/**
 * Makes of a folder what it is: a skill package, or a skill that it is no matter of ours to serve, with what is odd about it
 * if it was meant to be a package. Everything is read once, so that the digest is of what was read.
 */
import { hash } from "node:crypto";
import { posix } from "node:path";
import type { PackageDiagnostic } from "../../kernel/skill-admin.ts";
import type { Folder } from "../find-folders.ts";
import { SkillDefect, systemReason } from "../skill-defect.ts";
import { checkGroups } from "./check-groups.ts";
import { checkManifest, noteKeys, toolsReference, type PackageManifest } from "./check-manifest.ts";
import { checkTool } from "./check-tool.ts";
import { TOOLS_FILES } from "./classify-folder.ts";
import { Diagnostics, quote, type Place } from "./diagnostics.ts";
import { locateFile, outside } from "./find-script.ts";
import { linksOutside } from "./links-outside.ts";
import { hashFiles, type HashedFiles, type SeenFiles } from "./package-files.ts";
import { PackageSchemas } from "./package-schemas.ts";
import { readFrontMatter, type FrontMatter } from "./read-front-matter.ts";
import { readToolsFile } from "./read-tools-file.ts";
import { isMapping } from "./shapes.ts";
import type { PackageTool, SkillPackage } from "./skill-package.ts";

export interface PackageFolder extends Folder {
  readonly source: string;
  /** The name of the package that was read there before; null: there was none. */
  readonly was: string | null;
}

export type FolderReading =
  | { readonly kind: "package"; readonly found: SkillPackage }
  | { readonly kind: "skill"; readonly notes: readonly PackageDiagnostic[] };

const MANIFEST = "SKILL.md";
const IS_YAML = /\.ya?ml$/;
const MAX_NOTED = 10;
const MAX_TOOLS_BYTES = 1_048_576;

/** Throws what `unreadable` takes. */
export const readPackage = async (folder: PackageFolder, seen: SeenFiles): Promise<FolderReading> => {
  const hashed = await hashFiles(seen, (path) => path === MANIFEST || IS_YAML.test(path));
  return new Reader(folder, seen, hashed).read();
};

/** A folder of which not even the files can be listed or read. */
export const unreadable = (folder: PackageFolder, error: unknown): SkillPackage => {
  const { root, path, source, was } = folder;
  const name = was ?? folder.name;
  const reason = error instanceof SkillDefect ? error.message : systemReason(error);
  if (reason === null) throw error;
  const found = new Diagnostics();
  const message = `The folder cannot be read: ${reason}`;
  found.add({
    reason: "read_error",
    message,
    fix: "Let the host's user read all of it, and keep it within the limits.",
  });
  return { ...NOTHING, name, dir: root, folder: path, source, diagnostics: found.of(name) };
};

const NOTHING = {
  description: "",
  dcc: null,
  version: "1.0.0",
  searchAliases: [],
  allowedTools: null,
  carried: {},
  env: [],
  tools: [],
  groups: [],
  usable: false,
  digest: null,
  manifest: null,
  files: new Map<string, string>(),
} as const;

class Reader {
  readonly #folder: PackageFolder;
  readonly #seen: SeenFiles;
  readonly #hashed: HashedFiles;
  readonly #found = new Diagnostics();

  constructor(folder: PackageFolder, seen: SeenFiles, hashed: HashedFiles) {
    this.#folder = folder;
    this.#seen = seen;
    this.#hashed = hashed;
  }

  async read(): Promise<FolderReading> {
    const unreferenced = TOOLS_FILES.find((path) => this.#hashed.kept.has(path)) ?? null;
    const front = await this.#frontMatter(unreferenced);
    if (front === null) return this.#broken();
    if (front === "skill") return { kind: "skill", notes: [] };
    const reference = toolsReference(front);
    if (reference === undefined) return this.#skill(front, unreferenced);
    const isClosed = this.#noteLinks();
    const manifest = checkManifest(front, this.#folder.name, this.#found);
    const place = { pointer: "SKILL.md#/metadata/dcc-mcp/tools", line: front.lineOf("/metadata/dcc-mcp/tools") };
    const text = await this.#toolsText(reference, place);
    const used = text?.file ?? (typeof reference === "string" ? posix.normalize(reference) : null);
    for (const other of TOOLS_FILES.filter((path) => path !== used && this.#hashed.kept.has(path))) {
      this.#noteUnreferenced(other, place);
    }
    if (text === null || !manifest.usable || !isClosed) return this.#package(manifest, false, NO_TOOLS);
    return this.#package(manifest, true, await this.#tools(text));
  }

  /** Null: it was meant for a package and cannot be read; "skill": it is a matter of those who serve skills. */
  async #frontMatter(toolsFile: string | null): Promise<FrontMatter | "skill" | null> {
    const { name, root, was } = this.#folder;
    const isMeant = toolsFile !== null || was !== null;
    const at = await locateFile(root, MANIFEST, this.#seen.files);
    const bytes = typeof at === "string" ? null : (this.#hashed.kept.get(at.path) ?? null);
    if (bytes === null && !isMeant) return "skill";
    if (bytes === null) {
      if (at === "outside") this.#found.add(outside(MANIFEST));
      else {
        const has = toolsFile === null ? "" : ` ${toolsFile} and`;
        const message = `${quote(name)} has${has} no ${MANIFEST}, so its tools are not served.`;
        this.#found.add({ reason: "missing_skill_md", message, fix: `Write ${MANIFEST} beside it: ${EXAMPLE}` });
      }
      return null;
    }
    const front = await readFrontMatter(bytes);
    if (!("fault" in front)) return front;
    if (!isMeant) return "skill";
    const { reason, line, message, fix } = front.fault;
    this.#found.add({ reason, place: { pointer: `${MANIFEST}#`, line }, message, fix });
    return null;
  }

  #skill(front: FrontMatter, toolsFile: string | null): FolderReading {
    noteKeys(front, this.#found);
    if (toolsFile !== null) this.#noteUnreferenced(toolsFile, { pointer: `${MANIFEST}#`, line: 1 });
    const { name = this.#folder.name } = front.value;
    return { kind: "skill", notes: this.#found.of(typeof name === "string" ? name : this.#folder.name) };
  }

  #noteUnreferenced(file: string, place: Place): void {
    const message = `${file} is there, and ${MANIFEST} does not refer to it, so its tools are not served.`;
    const fix = `Refer to it in the front matter of ${MANIFEST}: ${EXAMPLE.replace("tools.yaml", file)}`;
    this.#found.add({ reason: "unreferenced_tools_file", place, message, fix, warning: true });
  }

  async #toolsText(reference: unknown, place: Place): Promise<{ file: string; text: string } | null> {
    const { root } = this.#folder;
    const fault = (
      reason: "tools_file_missing" | "read_error" | "invalid_frontmatter_shape",
      message: string,
      fix: string,
    ) => {
      this.#found.add({ reason, place, message, fix });
      return null;
    };
    if (typeof reference !== "string" || !IS_YAML.test(reference)) {
      return fault(
        "invalid_frontmatter_shape",
        "tools has to be the name of a .yaml or .yml file.",
        "Write tools: tools.yaml",
      );
    }
    const file = await locateFile(root, reference, this.#seen.files);
    if (file === "outside") {
      this.#found.add({ ...outside("tools"), place });
      return null;
    }
    if (file === "missing") {
      const message = `${MANIFEST} refers to ${quote(reference)}, which is not a file of the package.`;
      return fault("tools_file_missing", message, "Put the file there, or name the one that is.");
    }
    const bytes = this.#hashed.kept.get(file.path);
    if (bytes === undefined || bytes.length > MAX_TOOLS_BYTES) {
      return fault("read_error", `${quote(file.path)} has more than ${MAX_TOOLS_BYTES} bytes.`, "Split the package.");
    }
    try {
      return { file: file.path, text: new TextDecoder("utf-8", { fatal: true }).decode(bytes) };
    } catch {
      return fault("read_error", `${quote(file.path)} is not UTF-8.`, "Save it as UTF-8.");
    }
  }

  async #tools({ file, text }: { readonly file: string; readonly text: string }): Promise<Tools> {
    const found = this.#found;
    const { entries, groups, groupsWhole } = await readToolsFile(text, file, found);
    const schemas = new PackageSchemas();
    const { files, links } = this.#seen;
    const names = new Set<string>();
    const written = new Set<string>();
    const tools: PackageTool[] = [];
    for (const entry of entries) {
      const { value } = entry;
      const name = isMapping(value) ? value["name"] : value;
      if (typeof name === "string") written.add(name);
      const tool = await checkTool(entry, { dir: this.#folder.root, files, links, schemas, names, found });
      if (tool !== null) tools.push(tool);
      if (tool !== null) names.add(tool.name);
    }
    if (entries.length === 0) {
      const message = `${file} has no tools.`;
      found.add({ reason: "invalid_tool", place: { pointer: `${file}#/tools`, line: 1 }, message, fix: "List them." });
    }
    return checkGroups({ tools, names: written, groups, groupsWhole, found });
  }

  #package(manifest: PackageManifest, usable: boolean, { tools, groups }: Tools): FolderReading {
    const { root: dir, path: folder, source } = this.#folder;
    const { digest, digests: files } = this.#hashed;
    this.#noteUnused();
    const diagnostics = this.#found.of(manifest.name);
    return {
      kind: "package",
      found: {
        ...manifest,
        dir,
        folder,
        source,
        tools,
        groups,
        usable: usable && tools.length > 0,
        diagnostics,
        digest,
        manifest: this.#manifestHash(),
        files,
      },
    };
  }

  #manifestHash(): string | null {
    const bytes = this.#hashed.kept.get(MANIFEST);
    return bytes === undefined ? null : hash("sha256", bytes);
  }

  #noteUnused(): void {
    for (const path of this.#seen.odd.slice(0, MAX_NOTED)) {
      const message = `${quote(path)} is neither a file nor a folder, and is not used.`;
      this.#found.add({ reason: "read_error", message, fix: "Take it out.", warning: true });
    }
  }

  /** False: what runs may be another thing than what its digest covers. */
  #noteLinks(): boolean {
    const leaving = linksOutside(this.#seen);
    for (const path of leaving.slice(0, MAX_NOTED)) this.#found.add(outside(`The link ${quote(path)}`));
    return leaving.length === 0;
  }

  #broken(): FolderReading {
    const { root: dir, path: folder, source, was } = this.#folder;
    const name = was ?? this.#folder.name;
    const { digest, digests: files } = this.#hashed;
    return {
      kind: "package",
      found: { ...NOTHING, name, dir, folder, source, digest, files, diagnostics: this.#found.of(name) },
    };
  }
}

type Tools = Pick<SkillPackage, "tools" | "groups">;

const NO_TOOLS: Tools = { tools: [], groups: [] };
const EXAMPLE = "metadata: {dcc-mcp: {tools: tools.yaml}}";
