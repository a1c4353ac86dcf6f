/**
 * The environment of a bundle's process: an allow-list, what the manifest and the entry add, and what the host sets. Pure.
 */
export interface ChildEnvironmentOptions {
  readonly host: Readonly<Record<string, string | undefined>>;
  readonly platform: NodeJS.Platform;
  readonly manifest: Readonly<Record<string, string>>;
  readonly entry: Readonly<Record<string, string>>;
  /** Names of host variables that the entry lets in. */
  readonly allowed: readonly string[];
  readonly workspace: string;
  readonly dataDir: string;
  /** It does not see the home, so its own is the data directory, and it is not told of places in the other one. */
  readonly confined: boolean;
  /** Random; by it every descendant is found again. */
  readonly marker: string;
}

/** The variable that carries the marker. */
export const MARKER_VARIABLE = "BAILIWICK_SPAWN";

const ALLOWED = new Set([
  "PATH",
  "HOME",
  "USER",
  "LOGNAME",
  "SHELL",
  "LANG",
  "TERM",
  "TMPDIR",
  "TZ",
  "NODE_ENV",
  "NODE_PATH",
  "PYTHONPATH",
  "VIRTUAL_ENV",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
  "NODE_EXTRA_CA_CERTS",
]);
const ALLOWED_PREFIXES = ["LC_", "XDG_"];
/** Without these a Windows program does not start. */
const WINDOWS = new Set([
  "SYSTEMROOT",
  "SYSTEMDRIVE",
  "COMSPEC",
  "PATHEXT",
  "TEMP",
  "TMP",
  "USERPROFILE",
  "APPDATA",
  "LOCALAPPDATA",
  "PROGRAMDATA",
  "PROGRAMFILES",
]);
const NEVER = new Set(["NB_API_KEY", "NB_INTERNAL_TOKEN"]);

/** Where a user's own files are; a confined process has none there. */
const OF_THE_HOME = /^(?:TMPDIR|XDG_(?:CONFIG|DATA|CACHE|STATE)_HOME|XDG_RUNTIME_DIR)$/;

const isNever = (name: string): boolean => {
  const upper = name.toUpperCase();
  return upper.startsWith("BAILIWICK_") || NEVER.has(upper);
};

const isAllowed = (name: string, platform: NodeJS.Platform): boolean => {
  if (platform === "win32") {
    const upper = name.toUpperCase();
    return ALLOWED.has(upper) || WINDOWS.has(upper);
  }
  return ALLOWED.has(name) || ALLOWED_PREFIXES.some((prefix) => name.startsWith(prefix));
};

export const childEnvironment = (options: ChildEnvironmentOptions): Record<string, string> => {
  const env: Record<string, string> = {};
  const put = (name: string, value: string | undefined): void => {
    if (value !== undefined && !isNever(name)) env[name] = value;
  };
  for (const [name, value] of Object.entries(options.host)) {
    if (options.confined && OF_THE_HOME.test(name)) continue;
    if (isAllowed(name, options.platform)) put(name, value);
  }
  // What is written out wins over what is let through.
  for (const name of options.allowed) put(name, options.host[name]);
  for (const [name, value] of Object.entries(options.manifest)) put(name, value);
  for (const [name, value] of Object.entries(options.entry)) put(name, value);
  return {
    ...env,
    ...(options.confined ? { HOME: options.dataDir } : {}),
    BAILIWICK_WORKSPACE_ID: options.workspace,
    BAILIWICK_BUNDLE_DATA: options.dataDir,
    NB_WORKSPACE_ID: options.workspace,
    MPAK_WORKSPACE: options.dataDir,
    UPJACK_ROOT: options.dataDir,
    [MARKER_VARIABLE]: options.marker,
  };
};
