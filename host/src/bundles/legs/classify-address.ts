/**
 * What kind of place an IP address is. An address that carries an IPv4 address inside (mapped, NAT64, 6to4, Teredo) is as
 * bad as the worst it carries.
 */
import { BlockList, isIPv4 } from "node:net";

export type AddressKind = "public" | "loopback" | "private" | "refused" | "metadata";

const subnets = (...list: readonly string[]): BlockList => {
  const block = new BlockList();
  for (const cidr of list) addSubnet(block, cidr);
  return block;
};

/** Throws on what is no CIDR range; a bare address is a range of one. */
export const addSubnet = (block: BlockList, cidr: string): void => {
  const [address = "", bits] = cidr.split("/");
  const family = isIPv4(address) ? "ipv4" : "ipv6";
  block.addSubnet(address, bits === undefined ? (family === "ipv4" ? 32 : 128) : Number(bits), family);
};

export const contains = (block: BlockList, address: string): boolean =>
  block.check(address, isIPv4(address) ? "ipv4" : "ipv6");

/** Amazon, Google, Azure, Oracle, Alibaba; the Azure one looks like a public address. */
const METADATA = subnets(
  "169.254.169.0/24",
  "169.254.170.0/24",
  "168.63.129.16",
  "192.0.0.192",
  "100.100.100.200",
  "fd00:ec2::/32",
  "fd20:ce::/32",
);
const LOOPBACK = subnets("127.0.0.0/8", "::1");
const PRIVATE = subnets(
  "10.0.0.0/8",
  "172.16.0.0/12",
  "192.168.0.0/16",
  "169.254.0.0/16",
  "100.64.0.0/10",
  "fc00::/7",
  "fe80::/10",
  "fec0::/10",
);
const REFUSED = subnets(
  "0.0.0.0/8",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "2001:db8::/32",
  "3fff::/20",
);
const GLOBAL_V6 = subnets("2000::/3");

const BADNESS: readonly AddressKind[] = ["public", "loopback", "private", "refused", "metadata"];

export const classifyAddress = (address: string): AddressKind => {
  const bare = address.split("%")[0] as string;
  if (isIPv4(bare)) return kindOf(bare);
  const carried = carriedV4(groupsOf(bare));
  if (carried.length === 0) return kindOf(bare);
  return carried.map(kindOf).reduce((a, b) => (BADNESS.indexOf(a) >= BADNESS.indexOf(b) ? a : b));
};

const kindOf = (address: string): AddressKind => {
  if (contains(METADATA, address)) return "metadata";
  if (contains(LOOPBACK, address)) return "loopback";
  if (contains(PRIVATE, address)) return "private";
  if (contains(REFUSED, address)) return "refused";
  return isIPv4(address) || contains(GLOBAL_V6, address) ? "public" : "refused";
};

const hexPair = (high = "0", low = "0"): string => (Number(high) * 256 + Number(low)).toString(16);

/** The eight groups of an IPv6 address; a dotted tail becomes two of them. */
const groupsOf = (address: string): number[] => {
  const dotted = /^(.*:)(\d+)\.(\d+)\.(\d+)\.(\d+)$/.exec(address);
  const plain = dotted ? `${dotted[1]}${hexPair(dotted[2], dotted[3])}:${hexPair(dotted[4], dotted[5])}` : address;
  const [left = "", right] = plain.split("::");
  const read = (part: string): number[] => (part === "" ? [] : part.split(":").map((group) => parseInt(group, 16)));
  const head = read(left);
  const tail = right === undefined ? [] : read(right);
  return [...head, ...Array<number>(8 - head.length - tail.length).fill(0), ...tail];
};

const toV4 = (high = 0, low = 0): string => [high >> 8, high & 255, low >> 8, low & 255].join(".");

const carriedV4 = (groups: readonly number[]): string[] => {
  const [a, b, c, d, , , g, h] = groups as [number, number, number, number, number, number, number, number];
  const upper = groups.slice(0, 6);
  const zero = (from: number, to: number): boolean => upper.slice(from, to).every((group) => group === 0);
  if (zero(0, 5) && upper[5] === 0xffff) return [toV4(g, h)];
  // IPv4-compatible; `::` and `::1` are addresses of their own.
  if (zero(0, 6) && (g !== 0 || h > 1)) return [toV4(g, h)];
  if (a === 0x64 && b === 0xff9b) return [toV4(g, h)];
  if (a === 0x2002) return [toV4(b, c)];
  // Teredo: the server's address, and the client's with its bits turned over.
  if (a === 0x2001 && b === 0) return [toV4(c, d), toV4(g ^ 0xffff, h ^ 0xffff)];
  return [];
};
