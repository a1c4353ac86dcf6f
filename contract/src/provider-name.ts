/** How a provider is named. The name stands before `__` in every tool name, so it holds no `_`. */
export const PROVIDER_NAME = /^[a-z0-9][a-z0-9-]{0,47}$/;

/** The host's own providers and words. */
export const RESERVED_PROVIDER_NAMES: ReadonlySet<string> = new Set([
  "nb",
  "files",
  "compose",
  "skills",
  "capabilities",
  "host",
]);

/**
 * From the last segment of a manifest's name or an entry's `name`: `@acme/Foo_Bar` gives `foo-bar`. Null when that is no
 * provider name; then the entry needs a `serverName`.
 */
export const deriveProviderName = (name: string): string | null => {
  const bare = name.startsWith("npm:") ? name.slice(4).replace(/(?<=.)@[^/@]*$/, "") : name;
  const segment = bare.slice(bare.lastIndexOf("/") + 1);
  const derived = segment.toLowerCase().replace(/[^a-z0-9-]/gu, "-");
  return PROVIDER_NAME.test(derived) ? derived : null;
};

/** Why a provider cannot have this name and what to do about it, or null. */
export const findProviderNameFault = (name: string): string | null => {
  if (RESERVED_PROVIDER_NAMES.has(name)) {
    return `"${name}" is reserved for the host; give the entry another serverName`;
  }
  if (PROVIDER_NAME.test(name)) return null;
  return "a provider name has 1 to 48 characters a-z, 0-9 and -, and does not begin with -; set serverName";
};
