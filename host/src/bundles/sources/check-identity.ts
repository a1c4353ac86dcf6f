/** Refuses what says that it is another package than was asked for, naming both. What is not told cannot differ. Pure. */
import { refuseSource } from "./refuse-source.ts";
import type { Wanted } from "./registry.ts";
import { textOf } from "./registry-json.ts";

const MAX_SHOWN = 100;

/** `what` begins the sentence. Throws Refusal. */
export const checkIdentity = (
  what: string,
  told: { readonly name?: unknown; readonly version?: unknown },
  wanted: Wanted,
): void => {
  const name = told.name ?? wanted.name;
  const version = told.version ?? wanted.version;
  if (name === wanted.name && (wanted.version === null || version === wanted.version)) return;
  const actual = { name: textOf(name, MAX_SHOWN), version: textOf(version, MAX_SHOWN) };
  throw refuseSource(
    `${what} is ${written(actual)}; asked for was ${written(wanted)}.`,
    "If that one is meant, ask for it by its own name and version; else do not use it, and ask the registry's operator.",
    { expected: wanted, actual },
  );
};

const written = ({ name, version }: { readonly name: string | null; readonly version: string | null }): string =>
  [name ?? "a package without a name", version].filter((part) => part !== null).join(" ");
