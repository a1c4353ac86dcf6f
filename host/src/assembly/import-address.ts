/** Why an address of a foreign file is not written into the configuration as it stands: it holds a secret, or is none. Pure. */
import { looksSecret } from "../kernel/looks-secret.ts";

/** Null: it may be written. */
export const addressFault = (address: string): string | null => {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return "its url is no http: or https: address";
  const secret = [...url.searchParams].find(([name, each]) => looksSecret(name, each))?.[0];
  const isNamed = url.username !== "" || url.password !== "";
  if (!isNamed && secret === undefined) return null;
  const what = secret === undefined ? "a user name or password" : `a secret (${secret.slice(0, 60)})`;
  return `its address holds ${what}; add it by hand with a header that refers to a variable`;
};

/** For people: without what may be a secret in it. */
export const shownAddress = (address: string): string => {
  const url = URL.parse(address);
  if (url === null) return "an address";
  return addressFault(address) === null ? address : `${url.origin}${url.pathname}`;
};
