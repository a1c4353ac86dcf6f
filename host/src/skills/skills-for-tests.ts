/** Real folders with skills, and a provider of them. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import { createSkillsProvider, type SkillsProvider } from "./create-skills-provider.ts";

export const makeDir = (): string => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-skills-")));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

export const manifest = (name: string, more = ""): string =>
  `---\nname: ${name}\ndescription: What ${name} is for.\n${more}---\n# ${name}\n`;

/** Files by their path below `dir`. */
export const write = (dir: string, files: Readonly<Record<string, string | Uint8Array>>): void => {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true });
    writeFileSync(join(dir, path), text);
  }
};

export interface Opened {
  readonly skills: SkillsProvider;
  readonly changes: () => number;
}

export const openSkills = async (...dirs: string[]): Promise<Opened> => {
  let changes = 0;
  const report = (error: unknown): void => {
    throw error;
  };
  const onChange = (): void => void changes++;
  const skills = createSkillsProvider({
    dirs: () => dirs,
    version: "1.2.3",
    tools: [],
    onChange,
    report,
    checkMs: 60_000,
  });
  onTestFinished(() => skills.close());
  await skills.whenReady(10_000, new AbortController().signal);
  return { skills, changes: () => changes };
};

/** Names in the order in which they are listed. */
export const namesOf = (skills: SkillsProvider): string[] =>
  (skills.catalogue().skills ?? []).map(({ value }) => (value["frontmatter"] as { name: string }).name);

export const defectsOf = (skills: SkillsProvider): string => skills.catalogue().defects.join("\n");
