/**
 * What the configuration says of capabilities and roots that a person should look at. Whether tools require more than is
 * declared only a host with its bundles can say: `bailiwick tools`. Starts and makes nothing.
 */
import { configuredRoots } from "../../workspace/roots/configured-roots.ts";
import { DEFAULT_WORKSPACE } from "../../kernel/workspace.ts";
import type { LoadedConfig } from "../load-config.ts";
import { resolvePath } from "../resolve-path.ts";
import { fail, ok, warn, type Check } from "./check.ts";

export interface CapabilityCheckOptions {
  readonly loaded: Pick<LoadedConfig, "config" | "baseDir">;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
}

type Capabilities = LoadedConfig["config"]["capabilities"];

export const checkCapabilities = (options: CapabilityCheckOptions): readonly Check[] => {
  const { capabilities } = options.loaded.config;
  return [
    ...checkDeclared(capabilities),
    ...checkRequired(capabilities),
    ...checkGrants(capabilities, options.env),
    ...checkRoots(options),
  ];
};

const checkDeclared = ({ declared, providers }: Capabilities): Check[] => {
  const names = [...new Set([...declared, ...Object.values(providers).flat()])];
  return names.length === 0 ? [] : [ok("capabilities", `declared: ${names.join(", ")}`)];
};

/** A pattern without any `*` is a name, and tools are named `provider__tool`. */
const checkRequired = ({ require }: Capabilities): Check[] =>
  Object.keys(require)
    .filter((glob) => !glob.includes("*") && !glob.includes("__"))
    .map((glob) =>
      warn(
        "capabilities",
        `capabilities.require has ${JSON.stringify(glob)}, which can be the name of no tool.`,
        `Write it as ${JSON.stringify(`${glob}__*`)}, or as the full name of a tool: bailiwick tools`,
      ),
    );

const checkGrants = ({ env: granted }: Capabilities, env: CapabilityCheckOptions["env"]): Check[] =>
  Object.entries(granted).flatMap(([name, variables]) =>
    variables
      .filter((variable) => env[variable] === undefined)
      .map((variable) =>
        warn(
          `skill ${name}`,
          `${variable} is granted to it and not set here.`,
          `Set ${variable} in the host's environment, or take it out of capabilities.env.`,
        ),
      ),
  );

const checkRoots = ({ loaded, home }: CapabilityCheckOptions): Check[] => {
  const { roots } = loaded.config.capabilities;
  // The one of each workspace is made when it is first used.
  if (roots.list === undefined) return [];
  const { baseDir } = loaded;
  const flavour = process.platform === "win32" ? "win32" : "posix";
  const found = configuredRoots(roots, DEFAULT_WORKSPACE, {
    projectDir: () => baseDir,
    resolvePath: (path) => resolvePath(path, { baseDir, home }),
    flavour,
  });
  const checks = found.map(({ name, uri, path, reason }) => {
    const title = `root ${name ?? uri}`;
    if (path !== null) return ok(title, path);
    return fail(title, `${uri}: ${reason ?? "it cannot be used"}.`, "Correct it in capabilities.roots.list.");
  });
  if (roots.profile === "strict") return checks;
  const message = "the permissive profile passes absolute paths on as they are, wherever they lead";
  return [...checks, warn("roots", message, 'Set capabilities.roots.profile to "strict" unless tools need it.')];
};
