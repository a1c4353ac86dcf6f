/** Real directories with skills, servers that are stood in for by what they list and give out, and a book of both. */
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { onTestFinished } from "vitest";
import type { Principal } from "../../kernel/principal.ts";
import { Refusal } from "../../kernel/refusal.ts";
import type { RemoteRead } from "./read-remote-skill.ts";
import type { SkillReader } from "./skill-reader.ts";
import { createSkillBook, type SkillBook, type SkillBookPorts } from "./skill-book.ts";

export const principal = (scopes: readonly string[] | null = null): Principal => ({
  id: "agent:bailiwick",
  kind: "agent",
  onBehalfOf: "person:local",
  roles: [],
  permissions: [],
  assurance: "local",
  scopes,
  workspace: "ws_default",
  credentialId: "local",
});
export const OWNER = principal();
export const readerAs = (whom: Principal): SkillReader => ({
  principal: whom,
  presented: { kind: "local" },
  door: "agent",
  within: null,
});

export const makeDir = (files: Readonly<Record<string, string>> = {}): string => {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), "bailiwick-book-")));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  for (const [path, text] of Object.entries(files)) put(join(dir, path), text);
  return dir;
};

export const put = (path: string, text: string): void => {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
};

/** `more`: further lines of front matter. */
export const skillText = (name: string, more = "", body = `Body of ${name}.`): string =>
  `---\nname: ${name}\ndescription: What ${name} is for.\n${more}---\n${body}\n`;

/** An entry as the endpoint of the workspace lists it. */
export const entryOf = (provider: string, name: string, more: object = {}): object => ({
  uri: `skill://${provider}/${name}/SKILL.md`,
  frontmatter: { name, description: `What ${name} of ${provider} is for.`, ...more },
  resources: ["SKILL.md", "references/a%20b.md"].map((file) => ({ uri: `skill://${provider}/${name}/${file}` })),
  _meta: { "dev.bailiwick/provider": provider },
});

export interface Opened {
  readonly book: SkillBook;
  /** Names of skills that were told to have changed. */
  readonly changed: string[];
  /** What servers were asked for, as `crm skill://…`. */
  readonly asked: string[];
}

export interface BookMore extends Partial<Omit<SkillBookPorts, "now">> {
  readonly running?: readonly string[];
  readonly packageReason?: (name: string, digest: string) => string | null;
  readonly missing?: readonly string[];
  readonly entries?: readonly object[];
  /** By URI; what is not there is refused. */
  readonly texts?: Readonly<Record<string, string>>;
}

export const openBook = (dirs: readonly string[], more: BookMore = {}): Opened => {
  const [changed, asked]: [string[], string[]] = [[], []];
  const read = async ({ provider, uri }: RemoteRead): Promise<string> => {
    asked.push(`${provider} ${uri}`);
    const text = more.texts?.[uri];
    if (text !== undefined) return text;
    throw new Refusal("not_ready", { message: `${provider} is not running.`, next: "Start it." });
  };
  const book = createSkillBook({
    directories: () => dirs.map((path) => ({ path, source: "workspace" })),
    onChange: (names) => void changed.push(...names),
    now: () => ({
      running: new Set(more.running ?? ["crm", "mail"]),
      packageReason: more.packageReason ?? (() => null),
      missing: ({ allowedTools }) => (allowedTools === null ? [] : (more.missing ?? [])),
    }),
    listed: () => JSON.stringify(more.entries ?? []),
    readServerSkill: read,
    ...more,
  });
  return { book, changed, asked };
};
