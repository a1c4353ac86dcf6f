/**
 * What is wrong with skills that lie anywhere on disk: a file, the folder of a `SKILL.md`, or a directory of such. Judged by
 * the very readers that the host uses, with nothing of the host running.
 */
import { lstat, realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { listSkills } from "../agent/skills/list-skills.ts";
import { readFlatSkill } from "../agent/skills/read-flat-skill.ts";
import { readFolderSkill } from "../agent/skills/read-folder-skill.ts";
import { readPlainFile } from "../kernel/read-plain-file.ts";
import { SkillFindings } from "../agent/skills/skill-findings.ts";
import { SKILL_LIMITS } from "../agent/skills/skill-limits.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { PackageDiagnostic } from "../kernel/skill-admin.ts";
import { SkillDefect } from "../skills/skill-defect.ts";
import { seeFiles } from "../skills/packages/package-files.ts";
import { readPackage } from "../skills/packages/read-package.ts";
import { findLine } from "./find-line.ts";

export interface SkillFinding {
  readonly file: string;
  /** From 1; null: it is about the whole file. */
  readonly line: number | null;
  readonly level: "error" | "warning";
  readonly message: string;
}

export interface CheckedSkill {
  /** Of its file. */
  readonly path: string;
  /** Null: it is no skill. */
  readonly name: string | null;
  readonly type: "context" | "skill" | null;
  readonly findings: readonly SkillFinding[];
}

/** Refusal `not_found` where there is no skill to check. */
export const checkSkills = async (path: string): Promise<readonly CheckedSkill[]> => {
  const found = await stat(path).catch(() => null);
  if (found === null) throw nothing(`There is nothing at ${path}.`);
  if (!found.isDirectory()) {
    return [await (basename(path) === "SKILL.md" ? checkFolder(dirname(path)) : checkSkillFile(path))];
  }
  if ((await lstat(join(path, "SKILL.md")).catch(() => null)) !== null) return [await checkFolder(path)];
  const warnings: string[] = [];
  const { files, folders } = await listSkills({ path, source: "" }, warnings);
  const checked: CheckedSkill[] = [];
  for (const name of files.toSorted()) checked.push(await checkSkillFile(join(path, name)));
  for (const name of folders.toSorted()) {
    if ((await lstat(join(path, name, "SKILL.md")).catch(() => null)) !== null) {
      checked.push(await checkFolder(join(path, name)));
    }
  }
  if (checked.length === 0)
    throw nothing(`${path} holds no skill: no file that ends in .md, no folder with a SKILL.md.`);
  return checked;
};

const nothing = (message: string): Refusal =>
  new Refusal("not_found", { message, next: "Name the file of a skill, its folder, or a directory of skills." });

const checkSkillFile = (path: string): Promise<CheckedSkill> =>
  check(path, (bytes, findings) => readFlatSkill(bytes, findings));

const checkFolder = async (folder: string): Promise<CheckedSkill> => {
  const path = join(folder, "SKILL.md");
  const root = await realpath(folder);
  const checked = await check(path, (bytes, findings) => readFolderSkill(bytes, basename(root), findings));
  return { ...checked, findings: [...checked.findings, ...(await checkTools(folder, root))] };
};

type Reading = { readonly name: string; readonly type: "context" | "skill" } | null;

const check = async (
  path: string,
  read: (bytes: Buffer, findings: SkillFindings) => Promise<Reading>,
): Promise<CheckedSkill> => {
  const findings = new SkillFindings("");
  const bytes = await bytesOf(path, findings);
  const skill = bytes === null ? null : await read(bytes, findings);
  const text = bytes?.toString("utf8") ?? "";
  const told = findings.all().map((sentence, index): SkillFinding => {
    const message = sentence.replace(/^(?: is skipped)?: /, "");
    const level = skill === null && index === 0 ? "error" : "warning";
    return { file: path, line: findLine(text, message), level, message };
  });
  return { path, name: skill?.name ?? null, type: skill?.type ?? null, findings: told };
};

const bytesOf = async (path: string, findings: SkillFindings): Promise<Buffer | null> => {
  try {
    const bytes = await readPlainFile(await realpath(path), SKILL_LIMITS.fileBytes);
    return bytes ?? findings.skip("it is no plain file; put one there.");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === undefined) throw error;
    return findings.skip(`it cannot be read (${code}).`);
  }
};

/** Of a folder that is a package: what is wrong with its tools. */
const checkTools = async (folder: string, root: string): Promise<readonly SkillFinding[]> => {
  const named = { name: basename(root), path: folder, root, source: "config", was: null };
  try {
    const reading = await readPackage(named, await seeFiles(root));
    const told = reading.kind === "package" ? reading.found.diagnostics : reading.notes;
    return told.filter(isAboutTools).map((diagnostic) => findingOf(folder, diagnostic));
  } catch (error) {
    if (!(error instanceof SkillDefect)) throw error;
    return [{ file: folder, line: null, level: "error", message: error.message }];
  }
};

/** What `SKILL.md` itself lacks was told by its reader. */
const isAboutTools = ({ reason_code }: PackageDiagnostic): boolean =>
  !["missing_skill_md", "missing_frontmatter", "invalid_frontmatter_yaml", "read_error"].includes(reason_code);

const findingOf = (folder: string, diagnostic: PackageDiagnostic): SkillFinding => {
  const { pointer = "", line = null, tool, message, suggested_fix, warning } = diagnostic;
  const [file = ""] = pointer.split("#", 1);
  const about = tool === undefined ? "" : `${tool}: `;
  return {
    file: join(folder, file === "" ? "SKILL.md" : file),
    line,
    level: warning === true ? "warning" : "error",
    message: `${about}${message} ${suggested_fix}`,
  };
};
