/**
 * `bailiwick generator test <type>`: has the running host make a text with one generator, over the same two calls that a client
 * would make: a draft of the config, and its trial. The text is shown and not stored.
 */
import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import type { ReachedHost } from "../assembly/reached-host.ts";
import { sampleContent } from "../assembly/sample-content.ts";
import { isObject } from "../kernel/is-object.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import { textFlag } from "./flags.ts";
import { findGenerator } from "./find-generator.ts";
import { readComposeAnswer, type ComposeCalled, type Members } from "./read-compose-answer.ts";
import { showNoText } from "./show-no-text.ts";
import { showGenerated } from "./show-generated.ts";
import { readGenerators } from "./read-generators.ts";
import { reachRunning } from "./reach-running.ts";
import { parseArguments, readArguments } from "./read-arguments.ts";
import { UsageError } from "./usage-error.ts";
import { visibleText } from "./visible-text.ts";

export const runGeneratorTest: RunCommand = async (context) => {
  const [type = ""] = context.args;
  const given = await readContentConfig(context);
  const word = textFlag(context, "context");
  const variables = word === undefined ? null : await readArguments({ ...context, word });
  return reachRunning(context, async (host) => {
    const generator = findGenerator(type, await readGenerators(context));
    const config = given === null ? makeSample(context, generator) : withType(given, type);
    return tryConfig(context, host, { type, config, variables });
  });
};

interface Trial {
  readonly type: string;
  readonly config: Members;
  /** Null: none are given. */
  readonly variables: Members | null;
}

const tryConfig = async (
  context: CommandContext,
  host: ReachedHost,
  { type, config, variables }: Trial,
): Promise<ExitCode> => {
  const call = async (name: string, args: Members): Promise<ComposeCalled> => {
    const tool = `compose__${name}`;
    return { tool, args, report: await host.call(tool, args) };
  };
  const description = `bailiwick generator test ${type}`;
  const drafting = await call("draft_config", { config_type: "content", config_data: config, description });
  const drafted = readComposeAnswer(drafting, "draft_id");
  if (drafted === null) return showNoText(context, drafting);
  const { draft_id: draftId, warnings } = drafted;
  const testing = await call("test_config", {
    draft_id: draftId,
    ...(variables !== null && { context: variables }),
    dry_run: true,
  });
  const tested = readComposeAnswer(testing, "preview_content");
  if (tested === null) return showNoText(context, testing);
  if (context.json) context.terminal.raw(`${JSON.stringify({ draft_id: draftId, warnings, ...tested }, null, 2)}\n`);
  else showGenerated(context, { text: tested.preview_content, tested, warnings, draftId, configId: config["id"] });
  return EXIT.done;
};

const makeSample = ({ terminal }: CommandContext, generator: Parameters<typeof sampleContent>[0]): Members => {
  const { config, unmet } = sampleContent(generator);
  if (unmet.length > 0) {
    terminal.note(terminal.notePaint.yellow(`The sample has nothing for ${unmet.map(visibleText).join(", ")}.`));
    terminal.note(`→ Give a config that has it: bailiwick generator test ${generator.type} --content-config <file>`);
  }
  return config;
};

const readContentConfig = async (context: CommandContext): Promise<Members | null> => {
  const name = textFlag(context, "content-config");
  if (name === undefined) return null;
  const file = resolve(context.cwd, name);
  const text = await readFile(file, "utf8").catch((error: Error) => {
    throw new UsageError(`${file} cannot be read: ${error.message}`, "Name a readable file: --content-config <file>");
  });
  return parseArguments(text, file);
};

/** Its first pattern is for this generator. What is no list of patterns stays, for the host to say what is wrong with it. */
const withType = (config: Members, type: string): Members => {
  const { generation = {} } = config;
  const { patterns = [] } = isObject(generation) ? generation : {};
  if (!isObject(generation) || !Array.isArray(patterns)) return config;
  const [first = { id: "test" }, ...others] = patterns as readonly unknown[];
  if (!isObject(first)) return config;
  return { ...config, generation: { ...generation, patterns: [{ ...first, type }, ...others] } };
};
