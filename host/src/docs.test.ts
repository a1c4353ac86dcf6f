import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseConfig } from "@bailiwick/contract";
import { describe, expect, it } from "vitest";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");
const PAGES = [
  ...readdirSync(ROOT).filter((name) => name.endsWith(".md")),
  ...readdirSync(join(ROOT, "docs"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".md"))
    .map((name) => join("docs", name)),
];
const blocksOf = (page: string, language: string): string[] =>
  Array.from(read(page).matchAll(new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``, "g")), ([, text = ""]) => text);

describe("what the pages tell a reader to do", () => {
  it("every configuration in the README is accepted as it stands", () => {
    const configs = blocksOf("README.md", "json").filter((text) => text.includes('"bundles"'));
    expect(configs.length).toBeGreaterThan(1);
    for (const text of configs) {
      const { errors, warnings } = parseConfig(text, { dialect: "bailiwick" });
      expect([...errors, ...warnings]).toEqual([]);
    }
  });

  it("the README shows docs/examples/bailiwick.json as it is", () => {
    expect(blocksOf("README.md", "json")).toContain(read("docs/examples/bailiwick.json"));
  });

  it("the servers of the example are where their manifests say", () => {
    const { config } = parseConfig(read("docs/examples/bailiwick.json"), { dialect: "bailiwick" });
    const folders = (config?.bundles ?? []).flatMap((entry) =>
      "path" in entry ? [join("docs/examples", entry.path)] : [],
    );
    expect(folders).toHaveLength(2);
    for (const folder of folders) {
      const { server } = JSON.parse(read(join(folder, "manifest.json"))) as {
        server: { entry_point: string; mcp_config: { args: string[] } };
      };
      expect(existsSync(join(ROOT, folder, server.entry_point))).toBe(true);
      expect(server.mcp_config.args[0]).toBe(`\${__dirname}/${server.entry_point}`);
    }
  });

  it.each(PAGES)("%s links to files that exist", (page) => {
    const links = Array.from(read(page).matchAll(/\]\(([^)#\s]+)[^)]*\)/g), ([, link = ""]) => link);
    const local = links.filter((link) => !/^[a-z]+:/.test(link));
    expect(local.filter((link) => !existsSync(resolve(ROOT, dirname(page), link)))).toEqual([]);
  });

  it.each(PAGES)("%s names only npm scripts that exist", (page) => {
    const { scripts } = JSON.parse(read("package.json")) as { scripts: Record<string, string> };
    const named = Array.from(read(page).matchAll(/npm run ([a-z-]+)/g), ([, name = ""]) => name);
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});
