/** A command line of npx, read as the package of npm that it starts. Pure. */

export interface NpxPackage {
  readonly package: string;
  /** Exact; null: the newest. */
  readonly version: string | null;
  readonly args: readonly string[];
  readonly note: string | null;
}

const PACKAGE = /^(?:@[a-z0-9~][a-z0-9._~-]*\/)?[a-zA-Z0-9~][a-zA-Z0-9._~-]*$/;
const EXACT = /^[0-9]+\.[0-9]+\.[0-9]+(?:-[0-9A-Za-z.-]+)?$/;
const MAX_NAME = 214;
const UNHEARD: ReadonlySet<string> = new Set(["-y", "--yes", "-q", "--quiet"]);

/** Null: it is not the start of one package of npm in a form that can be told. */
export const readNpx = (command: string, args: readonly string[]): NpxPackage | null => {
  if (!/(?:^|[/\\])npx(?:\.cmd)?$/.test(command)) return null;
  let named: string | null = null;
  let at = 0;
  while (args[at]?.startsWith("-") === true) {
    const arg = args[at++] ?? "";
    if (arg === "--") break;
    if (UNHEARD.has(arg)) continue;
    if (arg === "-p" || arg === "--package") named = args[at++] ?? "";
    else if (arg.startsWith("--package=")) named = arg.slice("--package=".length);
    else return null;
  }
  const rest = args.slice(at);
  if (named === null) return packageOf(rest[0] ?? "", rest.slice(1));
  const [bin, ...more] = rest;
  return packageOf(named, bin === undefined ? [] : [`bin:${bin}`, ...more]);
};

const packageOf = (spec: string, args: readonly string[]): NpxPackage | null => {
  const cut = spec.indexOf("@", 1);
  const name = cut === -1 ? spec : spec.slice(0, cut);
  const version = cut === -1 ? "latest" : spec.slice(cut + 1);
  if (name.length > MAX_NAME || !PACKAGE.test(name)) return null;
  if (EXACT.test(version)) return { package: name, version, args, note: null };
  const note = version === "latest" ? null : `the newest version is taken, since "${version}" is no exact one`;
  return { package: name, version: null, args, note };
};
