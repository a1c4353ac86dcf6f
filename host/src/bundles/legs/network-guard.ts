/**
 * Which addresses the host may connect to for a `url` entry. The name is resolved once, every address is checked, and the
 * connection is made to a checked one: there is no second lookup that could answer differently.
 */
import { lookup as resolve, type LookupAddress } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";
import { addSubnet, classifyAddress, contains, type AddressKind } from "./classify-address.ts";

export interface NetworkRules {
  readonly allowInsecureRemotes: boolean;
  /** CIDR ranges. */
  readonly allowPrivateRemotes: readonly string[];
}

export class AddressRefused extends Error {
  override readonly name = "AddressRefused";
  readonly code = "ERR_ADDRESS_REFUSED";
}

const METADATA_NAMES =
  /^(metadata(\.(google|azure|goog|oraclecloud))?(\.internal|\.com)?|instance-data(\.ec2\.internal)?)\.?$/i;

/** Null, or the sentence that says why the address is refused and what admits it. */
export const checkAddress = (address: string, rules: NetworkRules): string | null => {
  const kind = classifyAddress(address);
  if (kind === "public") return null;
  if (kind === "loopback" && rules.allowInsecureRemotes) return null;
  if (kind !== "metadata" && kind !== "loopback" && isListed(address, rules)) return null;
  return `${address} is ${SAID[kind]}`;
};

const SAID: Record<Exclude<AddressKind, "public">, string> = {
  loopback: "a loopback address; set `allowInsecureRemotes` to true to reach this machine",
  private: "a private address; add its range to `allowPrivateRemotes` to reach it",
  refused: "a reserved address, which the host does not connect to",
  metadata: "a cloud metadata address, which the host never connects to",
};

const isListed = (address: string, rules: NetworkRules): boolean => {
  if (rules.allowPrivateRemotes.length === 0) return false;
  const listed = new BlockList();
  for (const cidr of rules.allowPrivateRemotes) addSubnet(listed, cidr);
  return contains(listed, address.split("%")[0] as string);
};

/** What a URL alone tells. Throws `AddressRefused`. */
export const checkUrl = (url: URL, rules: NetworkRules): void => {
  const refuse = (why: string): never => {
    throw new AddressRefused(`${url.origin} is refused: ${why}`);
  };
  if (url.protocol !== "https:" && url.protocol !== "http:") refuse("only https URLs are connected to");
  if (url.protocol === "http:" && !rules.allowInsecureRemotes) {
    refuse("it is not https; use https, or set `allowInsecureRemotes` to true");
  }
  if (url.username !== "" || url.password !== "") refuse("it carries a user name or password; use `transport.auth`");
  const host = url.hostname.replace(/^\[|\]$/g, "");
  if (METADATA_NAMES.test(host)) refuse("it is a cloud metadata name");
  const reason = isIP(host) === 0 ? null : checkAddress(host, rules);
  if (reason !== null) refuse(reason);
};

/** For sockets: answers with addresses only if all of them pass. Throws on rules that cannot be read. */
export const createLookup = (rules: NetworkRules): LookupFunction => {
  checkAddress(UNLISTED, rules);
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, "");
      const reason = firstReason(addresses, rules);
      if (reason !== null) return callback(new AddressRefused(`${hostname} is refused: ${reason}`), "");
      if (options.all) return callback(null, addresses);
      const [first] = addresses as [LookupAddress];
      callback(null, first.address, first.family);
    });
  };
};

/** An address that no cheaper rule decides, so that the ranges are read. */
const UNLISTED = "240.0.0.1";

const firstReason = (addresses: readonly LookupAddress[], rules: NetworkRules): string | null => {
  if (addresses.length === 0) return "the name has no address";
  for (const { address } of addresses) {
    const reason = checkAddress(address, rules);
    if (reason !== null) return reason;
  }
  return null;
};
