/** What may be declared as an environment capability, in the configuration and while the host runs. */

export const MAX_CAPABILITIES = 1_000;
/** Control characters of both sets would reach terminals and logs. */
const NAME = /^[^\p{Cc}]{1,256}$/u;

export const isCapabilityName = (name: string): boolean => NAME.test(name);

/** Why this cannot be a list of capabilities; null: it can. Goes on after "it". */
export const findCapabilitiesFault = (names: unknown): string | null => {
  if (!Array.isArray(names)) return "is no list of names";
  if (names.length > MAX_CAPABILITIES) return `has more than ${MAX_CAPABILITIES} names`;
  const at = names.findIndex((name) => typeof name !== "string" || !isCapabilityName(name));
  return at < 0 ? null : `has an entry ${at} that is no name of 1 to 256 characters without control characters`;
};
