/** The commands about generators, which turn a content config and a context into a text. */
import type { Command } from "./command.ts";

const RUNNING = "Asks the running host: bailiwick serve";

const generatorList: Command = {
  name: "generator list",
  summary: "list the generators, what one of them lacks, and plug-ins that were rejected",
  usage: "",
  args: [0, 0],
  flags: {},
  more: [
    "Plug-ins are files <type>.generator.mjs, .js or .ts in <workDir>/plugins/generators; each list looks at them anew.",
    RUNNING,
  ],
  load: async () => (await import("./run-generator-list.ts")).runGeneratorList,
};

const generatorTest: Command = {
  name: "generator test",
  summary: "have one generator make a text, and show it",
  usage: "<type>",
  args: [1, 1],
  flags: {
    "content-config": {
      value: "file",
      help: "a content config, whose first pattern is given this type (default: a small sample)",
    },
    context: {
      value: "json | @file | -",
      help: "the context, one JSON object, over what the config has (default: none)",
    },
  },
  more: [
    "The text goes to standard output, all else to standard error. It is not stored; the config stays as a draft for 30 days.",
    "Exit code: 0 done, 1 no text was made, 3 refused, 4 waiting for approval, 5 outcome unknown.",
    RUNNING,
    `  bailiwick generator test template_fill --context '{"name":"Grace"}'`,
    "  bailiwick generator test changelog --content-config changelog.json",
  ],
  load: async () => (await import("./run-generator-test.ts")).runGeneratorTest,
};

export const GENERATOR_COMMANDS: readonly Command[] = [generatorList, generatorTest];
