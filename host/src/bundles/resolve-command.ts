/**
 * From an accepted manifest to the exact program, arguments and manifest environment to start. Pure: it looks nothing up on
 * disk except through the `exists` it is handed.
 */
import { delimiter, isAbsolute, join, resolve, sep } from "node:path";
import { Refusal } from "../kernel/refusal.ts";
import type { CommandConfig, Manifest } from "./manifest.ts";
import { readUserConfig, type UserValues } from "./user-config.ts";

export interface ResolveCommandOptions {
  readonly manifest: Manifest;
  /** Absolute: where the manifest lies. */
  readonly directory: string;
  readonly provider: string;
  readonly userConfig: Readonly<Record<string, unknown>>;
  readonly platform: NodeJS.Platform;
  readonly home: string;
  /** The search path of the process to be. */
  readonly path: string;
  readonly pythonPath: string | null;
  readonly nodePath: string;
  /** Whether there is a program at this absolute path. */
  readonly exists: (file: string) => boolean;
}

export interface ResolvedCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Values of sensitive fields, to be kept out of what is shown. */
  readonly secrets: readonly string[];
}

export const resolveCommand = (options: ResolveCommandOptions): ResolvedCommand => {
  const { manifest, provider } = options;
  const platforms = manifest.compatibility?.platforms;
  if (platforms !== undefined && !platforms.includes(options.platform)) {
    throw new Refusal("install_refused", {
      message: `${manifest.name} runs on ${platforms.join(", ")} only; this machine is ${options.platform}.`,
      next: `Remove the entry "${provider}" here, or use a version of the bundle for ${options.platform}.`,
      details: { platforms },
    });
  }
  const expand = (text: string): string => expandSystem(text, options);
  const values = readUserConfig({ manifest, given: options.userConfig, provider, expand });
  const config = commandOf(manifest, options.platform);
  const substitute = (text: string): string | null => substituteAll(text, values, options);
  return {
    command: findProgram(substitute(config.command) ?? config.command, options),
    args: (config.args ?? []).flatMap((arg) => expandArgument(arg, values, substitute)),
    env: environmentOf(config.env ?? {}, substitute, options),
    secrets: secretsOf(manifest, values),
  };
};

/** The override wins key by key in `env`, whole in `command` and `args`. */
const commandOf = (manifest: Manifest, platform: string): CommandConfig => {
  const base = manifest.server.mcp_config;
  if (base === undefined) {
    return { command: "uv", args: ["run", "--directory", "${__dirname}", manifest.server.entry_point ?? ""] };
  }
  const override = base.platform_overrides?.[platform];
  return {
    command: override?.command ?? base.command,
    args: override?.args ?? base.args ?? [],
    env: { ...base.env, ...override?.env },
  };
};

const VARIABLE = /\$\{([^${}]{1,200})\}/g;

const systemVariable = (name: string, options: ResolveCommandOptions): string | null => {
  switch (name) {
    case "__dirname":
      return options.directory;
    case "/":
    case "pathSeparator":
      return sep;
    case "HOME":
      return options.home;
    case "DESKTOP":
      return join(options.home, "Desktop");
    case "DOCUMENTS":
      return join(options.home, "Documents");
    case "DOWNLOADS":
      return join(options.home, "Downloads");
    default:
      return null;
  }
};

const expandSystem = (text: string, options: ResolveCommandOptions): string =>
  text.replace(VARIABLE, (whole, name: string) => systemVariable(name, options) ?? whole);

const USER = "user_config.";

/** One pass, so that a value which looks like a variable stays what it is. Null when it names an unset field. */
const substituteAll = (text: string, values: UserValues, options: ResolveCommandOptions): string | null => {
  let unset = false;
  const result = text.replace(VARIABLE, (whole, name: string) => {
    if (!name.startsWith(USER)) return systemVariable(name, options) ?? whole;
    const value = values.get(name.slice(USER.length));
    if (value === undefined) unset = true;
    return typeof value === "string" ? value : (value ?? []).join(",");
  });
  return unset ? null : result;
};

/** An argument that names an unset field is left out; one that is nothing but a list becomes several. */
const expandArgument = (
  arg: string,
  values: UserValues,
  substitute: (text: string) => string | null,
): readonly string[] => {
  const only =
    arg.startsWith(`\${${USER}`) && arg.endsWith("}") ? values.get(arg.slice(USER.length + 2, -1)) : undefined;
  if (only !== undefined && typeof only !== "string") return only;
  const text = substitute(arg);
  return text === null ? [] : [text];
};

const environmentOf = (
  env: Readonly<Record<string, string>>,
  substitute: (text: string) => string | null,
  options: ResolveCommandOptions,
): Record<string, string> => {
  const result: Record<string, string> = {};
  for (const [key, template] of Object.entries(env)) {
    const value = substitute(template);
    if (value !== null) result[key] = value;
  }
  if (options.manifest.server.type === "python") {
    const own = ["deps", "src", join("server", "lib")].map((each) => join(options.directory, each));
    const before = result["PYTHONPATH"] === undefined ? [] : [result["PYTHONPATH"]];
    const after = options.pythonPath === null || before.length > 0 ? [] : [options.pythonPath];
    result["PYTHONPATH"] = [...before, ...own, ...after].join(delimiter);
  }
  return result;
};

const findProgram = (command: string, options: ResolveCommandOptions): string => {
  // The host's own runtime is known to exist and to be recent; what PATH calls node may be neither.
  if (command === "node") return options.nodePath;
  if (isAbsolute(command)) return command;
  // The working directory is the data directory, so a relative program is one of the bundle's own files.
  if (command.includes("/") || command.includes(sep)) return resolve(options.directory, command);
  const wanted = command === "python" ? ["python", "python3"] : [command];
  const folders = options.path.split(delimiter).filter((folder) => folder !== "");
  for (const program of wanted) {
    for (const folder of folders) {
      const file = join(folder, program);
      if (options.exists(file)) return file;
    }
  }
  return command;
};

const secretsOf = (manifest: Manifest, values: UserValues): string[] =>
  [...values].flatMap(([key, value]) => (manifest.user_config?.[key]?.sensitive === true ? value : []));
