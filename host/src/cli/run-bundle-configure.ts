/** `bailiwick bundle configure <name> [key=value…]`: stores settings of a bundle, or shows which it has. No value is shown. */
import type { ReachedHost } from "../assembly/reached-host.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import { reach } from "./reach.ts";
import { readPairs } from "./read-pairs.ts";
import { describeField } from "./run-bundle-inspect.ts";

export const runBundleConfigure: RunCommand = async (context) => {
  const [name = "", ...words] = context.args;
  const values = await readPairs(words, context);
  return reach(context, { provider: name }, (host) =>
    words.length === 0 ? list(context, host, name) : store(context, host, { name, values }),
  );
};

const list = async ({ terminal, json }: CommandContext, host: ReachedHost, name: string): Promise<ExitCode> => {
  const { userConfig } = await host.bundles.inspect(name);
  if (json) terminal.raw(`${JSON.stringify({ name, userConfig }, null, 2)}\n`);
  else if (userConfig.length === 0) terminal.note(`${name} has no settings.`);
  else for (const field of userConfig) terminal.out(describeField(field));
  if (!json && userConfig.length > 0) terminal.note(`→ Set one: bailiwick bundle configure ${name} <key>=<value>`);
  return EXIT.done;
};

interface Settings {
  readonly name: string;
  readonly values: Readonly<Record<string, unknown>>;
}

const store = async (context: CommandContext, host: ReachedHost, { name, values }: Settings): Promise<ExitCode> => {
  const { terminal, json } = context;
  const { stored, status } = await host.bundles.configure(name, values);
  if (json) {
    terminal.raw(`${JSON.stringify({ name, stored, status }, null, 2)}\n`);
    return EXIT.done;
  }
  const out = Object.keys(values).filter((key) => !stored.includes(key));
  if (stored.length > 0) terminal.out(`Stored for ${name}: ${stored.join(", ")}.`);
  if (out.length > 0) terminal.out(`Taken out of ${name}: ${out.join(", ")}.`);
  terminal.note(`${name} is ${status}.`);
  return EXIT.done;
};
