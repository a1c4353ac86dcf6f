/**
 * `bailiwick bundle accept <name> [tool…]`: shows what a bundle defines otherwise than was accepted, and accepts it after a
 * person's yes. What was shown is accepted, and nothing else.
 */
import type { ReachedHost } from "../assembly/reached-host.ts";
import type { HeldDefinition } from "../kernel/bundle-admin.ts";
import { askYesNo, isAtTerminal } from "./ask-person.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { describeHeld } from "./describe-held.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import { isSet } from "./flags.ts";
import { reach } from "./reach.ts";
import { UsageError } from "./usage-error.ts";

export const runBundleAccept: RunCommand = (context) => {
  const [name = "", ...tools] = context.args;
  return reach(context, { provider: name }, async (host) => {
    const { held } = await host.bundles.inspect(name);
    const shown = pick(name, held, tools);
    if (shown.length === 0) return nothing(context, name);
    for (const each of shown) show(context, name, each);
    if (!(await isWanted(context, shown.length))) {
      context.terminal.note("Nothing was accepted.");
      return EXIT.refused;
    }
    return accept(context, host, { name, tools, shown });
  });
};

const pick = (name: string, held: readonly HeldDefinition[], tools: readonly string[]): readonly HeldDefinition[] => {
  if (tools.length === 0) return held;
  const free = tools.find((tool) => !held.some((each) => each.tool === tool));
  if (free === undefined) return held.filter(({ tool }) => tool !== null && tools.includes(tool));
  const names = held.map(({ tool }) => tool ?? "its instructions").join(", ");
  throw new UsageError(
    `No definition of "${free}" is held.`,
    names === "" ? `Nothing of ${name} is held.` : `Held are: ${names}`,
  );
};

const nothing = ({ terminal, json }: CommandContext, name: string): ExitCode => {
  if (json) terminal.raw(`${JSON.stringify({ name, accepted: [] }, null, 2)}\n`);
  terminal.note(`Nothing of ${name} is held.`);
  return EXIT.done;
};

/** With --json the result has all of it; what a person decides by is then beside it. */
const show = ({ terminal, json }: CommandContext, name: string, held: HeldDefinition): void => {
  const lines = describeHeld(name, held, json ? terminal.notePaint : terminal.paint);
  for (const line of lines) {
    if (json) terminal.note(line);
    else terminal.out(line);
  }
};

const isWanted = async (context: CommandContext, count: number): Promise<boolean> => {
  if (isSet(context, "yes")) return true;
  if (isAtTerminal(context)) return askYesNo(context, count === 1 ? "Accept it?" : `Accept all ${count}?`);
  throw new UsageError("Nobody is there to be asked.", "Look at what is shown, then repeat the command with --yes");
};

interface Decided {
  readonly name: string;
  /** Empty: all. */
  readonly tools: readonly string[];
  readonly shown: readonly HeldDefinition[];
}

const accept = async (
  { terminal, json }: CommandContext,
  host: ReachedHost,
  { name, tools, shown }: Decided,
): Promise<ExitCode> => {
  const offered = shown.map((each) => each.offered);
  const done = await host.bundles.accept(name, { tools: tools.length === 0 ? null : tools, offered });
  if (json) terminal.raw(`${JSON.stringify(done, null, 2)}\n`);
  else terminal.out(`Accepted of ${name}: ${done.accepted.map(nameOf).join(", ")}.`);
  return EXIT.done;
};

const nameOf = ({ tool }: HeldDefinition): string => tool ?? "its instructions";
