import { describe, expect, it } from "vitest";
import { classifyAddress } from "./classify-address.ts";
import { AddressRefused, checkAddress, checkUrl, createLookup } from "./network-guard.ts";

const STRICT = { allowInsecureRemotes: false, allowPrivateRemotes: [] };
const LOCAL = { allowInsecureRemotes: true, allowPrivateRemotes: [] };

describe("classifyAddress", () => {
  it.each([
    ["93.184.215.14", "public"],
    ["2606:4700::1111", "public"],
    ["127.0.0.1", "loopback"],
    ["127.255.0.9", "loopback"],
    ["::1", "loopback"],
    ["10.1.2.3", "private"],
    ["172.16.0.1", "private"],
    ["172.32.0.1", "public"],
    ["192.168.1.1", "private"],
    ["169.254.1.1", "private"],
    ["100.64.0.1", "private"],
    ["fd12::1", "private"],
    ["fe80::1%eth0", "private"],
    ["0.0.0.0", "refused"],
    ["::", "refused"],
    ["224.0.0.1", "refused"],
    ["255.255.255.255", "refused"],
    ["240.0.0.1", "refused"],
    ["198.18.0.1", "refused"],
    ["ff02::1", "refused"],
    ["2001:db8::1", "refused"],
    ["100::1", "refused"],
    ["169.254.169.254", "metadata"],
    ["168.63.129.16", "metadata"],
    ["100.100.100.200", "metadata"],
    ["fd00:ec2::254", "metadata"],
    ["::ffff:127.0.0.1", "loopback"],
    ["::ffff:7f00:1", "loopback"],
    ["::ffff:8.8.8.8", "public"],
    ["::127.0.0.1", "loopback"],
    ["64:ff9b::10.0.0.1", "private"],
    ["64:ff9b::a9fe:a9fe", "metadata"],
    ["2002:7f00:1::", "loopback"],
    ["2002:a9fe:a9fe::1", "metadata"],
    ["2001:0:808:808::f5ff:fffe", "private"],
    ["2001:0:a00:1::f7f7:f7f7", "private"],
  ] as const)("%s is %s", (address, kind) => {
    expect(classifyAddress(address)).toBe(kind);
  });
});

describe("checkAddress", () => {
  it("admits loopback only with allowInsecureRemotes and says so", () => {
    expect(checkAddress("127.0.0.1", STRICT)).toContain("set `allowInsecureRemotes` to true");
    expect(checkAddress("127.0.0.1", LOCAL)).toBeNull();
    expect(checkAddress("10.0.0.1", LOCAL)).toContain("`allowPrivateRemotes`");
  });

  it("admits the listed ranges, and never a metadata address", () => {
    const rules = { allowInsecureRemotes: false, allowPrivateRemotes: ["10.0.0.0/8", "169.254.0.0/16", "fd00::/8"] };
    expect(checkAddress("10.9.9.9", rules)).toBeNull();
    expect(checkAddress("fd12::1", rules)).toBeNull();
    expect(checkAddress("192.168.0.1", rules)).not.toBeNull();
    expect(checkAddress("169.254.169.254", rules)).toContain("never");
    expect(checkAddress("fd00:ec2::254", rules)).toContain("never");
  });
});

describe("checkUrl", () => {
  it.each([
    "http://example.com/mcp",
    "ftp://example.com/",
    "https://user:secret@example.com/mcp",
    "https://127.0.0.1/mcp",
    "https://[::1]/mcp",
    "https://2130706433/mcp",
    "https://0x7f.1/mcp",
    "https://metadata.google.internal/",
    "https://[::ffff:169.254.169.254]/",
  ])("refuses %s", (url) => {
    expect(() => checkUrl(new URL(url), STRICT)).toThrow(AddressRefused);
  });

  it("keeps a password out of the message", () => {
    expect(() => checkUrl(new URL("https://user:secret@example.com/mcp"), STRICT)).toThrow(/^(?!.*secret)/);
  });

  it("lets https pass, and http to this machine where insecure remotes are allowed", () => {
    expect(() => checkUrl(new URL("https://example.com/mcp"), STRICT)).not.toThrow();
    expect(() => checkUrl(new URL("http://127.0.0.1:80/mcp"), LOCAL)).not.toThrow();
  });
});

describe("createLookup", () => {
  const look = (rules: typeof STRICT): Promise<unknown> =>
    new Promise((resolve) => {
      createLookup(rules)("localhost", { all: true }, (error, addresses) => resolve(error ?? addresses));
    });

  it("gives no address of a name that leads to a refused place", async () => {
    expect(await look(STRICT)).toBeInstanceOf(AddressRefused);
  });

  it("gives the checked addresses", async () => {
    expect(await look(LOCAL)).toEqual(
      expect.arrayContaining([expect.objectContaining({ address: expect.stringMatching(/^(127\.|::1$)/) as string })]),
    );
  });
});
