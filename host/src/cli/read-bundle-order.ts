/** The entry that `bundle add` asks for, as it would stand in the configuration. */
import { resolve } from "node:path";
import type { CommandContext } from "./command.ts";
import { listFlag, textFlag } from "./flags.ts";
import { readPairs } from "./read-pairs.ts";
import { UsageError } from "./usage-error.ts";

type Entry = Readonly<Record<string, unknown>>;

const USAGE = "Usage: bailiwick bundle add <name> · --path <dir or .mcpb> · --url <url> --name <name>";
/** Of a `url` entry there is no process that could get them. */
const FOR_PROCESSES = ["env", "set", "version"] as const;
const FOR_URLS = ["name", "auth", "token-env"] as const;

export const readBundleOrder = async (context: CommandContext): Promise<Entry> => {
  const [name] = context.args;
  const [path, url] = [textFlag(context, "path"), textFlag(context, "url")];
  if ([name, path, url].filter((each) => each !== undefined).length !== 1) {
    throw new UsageError("Give exactly one of a name, --path and --url.", USAGE);
  }
  if (url !== undefined) return urlEntry(context, url);
  refuseFlags(context, FOR_URLS, "only for --url");
  if (path !== undefined) refuseFlags(context, ["version"], "only for a name; the package itself says its version");
  const serverName = textFlag(context, "server-name");
  const version = textFlag(context, "version");
  const env = readVariables(listFlag(context, "env") ?? []);
  const userConfig = await readPairs(listFlag(context, "set") ?? [], context);
  return {
    ...(path === undefined ? { name } : { path: resolve(context.cwd, path) }),
    ...(version !== undefined && { version }),
    ...(serverName !== undefined && { serverName }),
    ...(Object.keys(env).length > 0 && { env }),
    ...(Object.keys(userConfig).length > 0 && { userConfig }),
  };
};

const urlEntry = (context: CommandContext, url: string): Entry => {
  refuseFlags(context, FOR_PROCESSES, "not for --url");
  const serverName = textFlag(context, "name") ?? textFlag(context, "server-name");
  if (serverName === undefined) {
    throw new UsageError("A url needs a name for its tools to begin with.", `Write: --url ${url} --name <name>`);
  }
  const [auth, variable] = [textFlag(context, "auth"), textFlag(context, "token-env")];
  if (auth !== undefined && auth !== "bearer" && auth !== "none") {
    throw new UsageError(`--auth is bearer or none (found "${auth}").`, "Other ways stand in bailiwick.json.");
  }
  if ((auth === "bearer") !== (variable !== undefined)) {
    throw new UsageError("--auth bearer and --token-env go together.", "Write: --auth bearer --token-env <VARIABLE>");
  }
  if (variable === undefined) return { url, serverName };
  if (!/^[A-Za-z_]\w*$/.test(variable)) {
    throw new UsageError(
      "--token-env takes the name of an environment variable, not the token.",
      "Write: --token-env MY_TOKEN",
    );
  }
  return { url, serverName, transport: { auth: { type: "bearer", token: `\${env:${variable}}` } } };
};

const readVariables = (words: readonly string[]): Readonly<Record<string, string>> => {
  const env: Record<string, string> = {};
  for (const word of words) {
    const at = word.indexOf("=");
    const name = at < 0 ? word : word.slice(0, at);
    if (at < 1 || !/^[A-Za-z_]\w*$/.test(name)) {
      throw new UsageError(`--env "${name}" is no K=V.`, "Write: --env NAME=value, or '--env NAME=${env:OTHER}'");
    }
    if (Object.hasOwn(env, name)) throw new UsageError(`--env ${name} is given twice.`, "Give it once.");
    env[name] = word.slice(at + 1);
  }
  return env;
};

const refuseFlags = (context: CommandContext, names: readonly string[], why: string): void => {
  const given = names.find((name) => context.flags[name] !== undefined);
  if (given !== undefined) throw new UsageError(`--${given} is ${why}.`, "See: bailiwick bundle add --help");
};
