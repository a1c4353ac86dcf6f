/** The page is followed with the stand-in for a model that it names, on any free port. */
import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseConfig } from "@bailiwick/contract";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { COMMANDS } from "./commands.ts";
import { createPageReader, readBlocks, ROOT, STEP_MS, type PageReader } from "./docs-page-for-tests.ts";

const EXAMPLE = join(ROOT, "examples", "agent");
const BLOCKS = readBlocks("agent.md");
const PAGE = readFileSync(join(ROOT, "docs", "agent.md"), "utf8");

let model: ChildProcess;
let reader: PageReader;
beforeAll(async () => {
  model = spawn(process.execPath, [join(EXAMPLE, "model.mjs"), "0"], { stdio: ["ignore", "pipe", "inherit"] });
  process.once("exit", () => model.kill("SIGKILL"));
  const [line] = (await once(model.stdout ?? model, "data")) as [Buffer];
  reader = createPageReader({ MODEL_URL: line.toString("utf8").trim() });
});
afterAll(async () => {
  await reader.close();
  model.kill("SIGKILL");
});

describe("docs/agent.md", () => {
  it.each(BLOCKS)(
    "works at line $line ($kind $file)",
    async (block) => expect(await reader.follow(block)).toEqual([]),
    STEP_MS,
  );

  it.each(["bailiwick.json", "skills/refunds.md"])("shows %s as the example has it", (file) => {
    const shown = BLOCKS.filter((block) => block.file === file).map(({ text }) => text);
    expect(shown).toEqual([readFileSync(join(EXAMPLE, file), "utf8")]);
  });

  it("has configurations without errors and warnings, and so has the README", () => {
    const readme = readFileSync(join(ROOT, "README.md"), "utf8");
    const [shown = ""] = /(?<=```json\n)\{\n {2}"providers".*?(?=```)/s.exec(readme) ?? [];
    for (const text of [readFileSync(join(EXAMPLE, "bailiwick.json"), "utf8"), shown]) {
      const { errors, warnings } = parseConfig(text, { dialect: "bailiwick" });
      expect([...errors, ...warnings]).toEqual([]);
    }
  });

  it("tells the defaults as they are", () => {
    const { config } = parseConfig("{}", { dialect: "bailiwick" });
    const { maxIterations, maxInputTokens, maxOutputTokens, maxDirectTools, defaultModel } = config ?? {};
    const limits = [maxIterations, maxInputTokens, maxOutputTokens, maxDirectTools].join(", ");
    expect(PAGE).toContain(
      `| \`maxIterations\`, \`maxInputTokens\`, \`maxOutputTokens\`, \`maxDirectTools\` | ${limits} |`,
    );
    expect(PAGE).toContain(`| \`defaultModel\` | \`${defaultModel}\` |`);
    expect(PAGE).toContain(`| \`approvals.runWaitSeconds\` | ${config?.approvals.runWaitSeconds} |`);
  });

  it("runs every command of the agent", () => {
    const ran = BLOCKS.filter(({ kind }) => kind === "run")
      .map(({ text }) => text)
      .join("\n");
    const named = ["chat", "prompt", "skill match", "skill check", "approve", "import", "connect"];
    expect(named.filter((name) => !ran.includes(`bailiwick ${name}`))).toEqual([]);
    expect(named.filter((name) => !COMMANDS.some((command) => command.name === name))).toEqual([]);
  });

  it("names only commands that there are", () => {
    const commands = new Set(COMMANDS.map(({ name }) => name));
    const named = [...PAGE.matchAll(/(?<!agent:)\bbailiwick ([a-z]+)(?: ([a-z][a-z-]+))?/g)].map(
      ([, first = "", second = ""]) => (commands.has(first) ? first : `${first} ${second}`),
    );
    expect(named.filter((name) => !commands.has(name))).toEqual([]);
  });
});
