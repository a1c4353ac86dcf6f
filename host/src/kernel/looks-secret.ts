/**
 * Whether a value is likely a secret, by its name and by what it looks like. It is asked before something is written down or
 * shown, so in doubt it says yes. Pure.
 */
const SECRET_NAME =
  /key|token|secret|pass|pwd|credential|auth(?!or(?!i))|cookie|private|signature|signing|dsn|webhook|session|(?:^|[_-])(?:pat|pin|otp|jwt|sas)(?:$|[_-])/i;
const SECRET_VALUE =
  /(?:^|[\s=:"'])(?:sk-|sk_|pk_|rk_|gh[oprsu]_|github_pat_|glpat-|xox[abeprs]-|xapp-|AKIA|ASIA|AIza|ya29\.|eyJ|hf_|npm_|bw_|dop_v1_|shpat_|whsec_|SG\.|-----BEGIN|(?:Bearer|Basic)\s+\S)/;
/** A password in an address, a user of an address of the web, and an address that is itself the key. */
const SECRET_ADDRESS = /:\/\/[^/\s:@]*:[^/\s@]+@|https?:\/\/[^/\s:@]+@|:\/\/hooks\.|\/webhooks?\//i;
/** In a connection string, the query of an address, or a line for a shell. */
const SECRET_MEMBER = /(?:^|[;?&\s])[\w-]*(?:password|passwd|pwd|secret|key|token|sig)\s*=\s*[^;&\s]/i;
/** Long, without blanks and dots, of letters and digits. */
const OPAQUE = /^(?=.*[0-9])(?=.*[A-Za-z])[A-Za-z0-9+=_-]{32,}$/;
const VALUES = [SECRET_VALUE, SECRET_ADDRESS, SECRET_MEMBER, OPAQUE];
const PLAIN = /^(?:true|false|yes|no|on|off|none|null)$/i;
const COUNT = /^\d{1,7}$/;
const COUNTING = /(?:tokens|timeout|ttl|port|limit|size|seconds|minutes|ms|count|length|retries)$/i;
const FILE = /^(?:~|\.{0,2})\/.*\.[A-Za-z0-9]{1,5}$/;
const REFERENCE = /\$\{[^}]*\}/g;
/** What stands beside a variable and gives nothing away: a scheme, or a path below it. */
const BESIDE = /^\s*(?:(?:Bearer|Basic|Token|ApiKey)\s*|\/.*)?$/is;

/** By its name alone. */
export const namesSecret = (name: string): boolean => SECRET_NAME.test(name);

export const looksSecret = (name: string, value: string): boolean => {
  const own = value.replace(REFERENCE, "");
  if (own === "" || PLAIN.test(own) || FILE.test(own)) return false;
  if (COUNT.test(own) && COUNTING.test(name)) return false;
  if (VALUES.some((each) => each.test(own))) return true;
  return namesSecret(name) && (own === value || !BESIDE.test(own));
};
