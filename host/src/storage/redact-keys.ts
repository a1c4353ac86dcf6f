/**
 * Names under which a secret stands. A name counts when it is one of these or ends with one (`access_token`,
 * `X-Api-Key`, `clientSecret`); case, `-`, `_` and blanks make no difference. Plurals of `token` are counts, and names such
 * as `idempotencyKey` or `public_key` name no secret.
 */
const ENDINGS = [
  "apikey",
  "authorization",
  "cookie",
  "cookies",
  "password",
  "passwords",
  "passwd",
  "secret",
  "secrets",
  "token",
  "privatekey",
  "privatekeys",
  "apikeys",
  "credential",
  "credentials",
  "sessionid",
];
/** A longer name is not looked at as a name; what it holds is looked at all the same. */
const MAX_NAME = 256;
const MAX_KNOWN = 4096;

/** The host's own names come again with every event. */
const known = new Map<string, boolean>();

const judge = (name: string): boolean => {
  const plain = name.replace(/[-_ .]/g, "").toLowerCase();
  return ENDINGS.some((ending) => plain.endsWith(ending));
};

export const isSecretKey = (name: string): boolean => {
  const before = known.get(name);
  if (before !== undefined) return before;
  const verdict = judge(name.slice(-MAX_NAME));
  if (known.size < MAX_KNOWN && name.length <= MAX_NAME) known.set(name, verdict);
  return verdict;
};
