/** The program `bailiwick`: reads the command line, runs one command, and turns however it ended into an exit code. */
import { enableCompileCache } from "node:module";
import { homedir } from "node:os";
import { join } from "node:path";
import { HOST_VERSION } from "../assembly/version.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import { helpText } from "./help-text.ts";
import { parseCommandLine } from "./parse-command-line.ts";
import { showFailure } from "./show-failure.ts";
import { createTerminal, type Terminal } from "./terminal.ts";

const run = async (argv: readonly string[], terminal: Terminal): Promise<ExitCode> => {
  const meaning = parseCommandLine(argv);
  if (meaning.kind === "version") terminal.out(HOST_VERSION);
  if (meaning.kind === "help") terminal.out(helpText(meaning.topic));
  if (meaning.kind !== "run") return EXIT.done;
  const { command, input } = meaning;
  const execute = await command.load();
  return execute({
    ...input,
    terminal,
    env: process.env,
    cwd: process.cwd(),
    home: homedir(),
    stdin: process.stdin,
    json: input.flags["json"] === true,
    help: () => helpText(null),
  });
};

/** Whoever read the output has gone (`bailiwick tools | head -1`); that is no fault, and a host goes on without them. */
const ignoreClosedPipe = (error: NodeJS.ErrnoException): void => {
  if (error.code !== "EPIPE" && error.code !== "EIO") throw error;
};

// What the engine made of the program is kept beside it, for the next start; where that cannot be written it is made anew.
enableCompileCache(join(import.meta.dirname, "..", "cache"));
process.stdout.on("error", ignoreClosedPipe);
process.stderr.on("error", ignoreClosedPipe);

const argv = process.argv.slice(2);
const terminal = createTerminal({ stdout: process.stdout, stderr: process.stderr, env: process.env });
process.exitCode = await run(argv, terminal).catch((error: unknown) =>
  showFailure(error, { terminal, debug: argv.includes("--debug"), json: argv.includes("--json") }),
);
