import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openUriOwners } from "./open-uri-owners.ts";

let dir: string;
let reports: unknown[];
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "bw-owners-"));
  reports = [];
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const open = (at = dir) => openUriOwners(at, (error) => reports.push(error));
const file = () => join(dir, "uri-owners.json");

describe("openUriOwners", () => {
  it("gives a URI to the first that lists it, also after a restart", async () => {
    const first = open();
    first.owners.claim([
      { provider: "b", uris: ["x://1", "x://2"] },
      { provider: "a", uris: ["x://1", "x://3"] },
    ]);
    await first.settled();
    const { owners } = open();
    owners.claim([{ provider: "a", uris: ["x://1", "x://2"] }]);
    expect(["x://1", "x://2", "x://3", "x://4"].map((uri) => owners.ownerOf(uri))).toEqual(["b", "b", "a", null]);
    expect(statSync(file()).mode & 0o777).toBe(0o600);
    expect(readFileSync(file(), "utf8")).not.toContain("x://");
  });

  it("writes the last state when claims come while it writes", async () => {
    const { owners, settled } = open();
    for (let i = 0; i < 50; i++) {
      owners.claim([{ provider: "p", uris: [`x://${i}`] }]);
      if (i % 10 === 0) await new Promise(setImmediate);
    }
    await settled();
    const again = open().owners;
    for (let i = 0; i < 50; i++) expect(again.ownerOf(`x://${i}`)).toBe("p");
  });

  it("does not write when nothing is new", async () => {
    const { owners, settled } = open();
    owners.claim([{ provider: "p", uris: ["x://1"] }]);
    await settled();
    writeFileSync(file(), "untouched");
    owners.claim([
      { provider: "p", uris: ["x://1"] },
      { provider: "q", uris: ["x://1"] },
    ]);
    await settled();
    expect(readFileSync(file(), "utf8")).toBe("untouched");
  });

  it("frees what belongs to a provider that is no longer configured, but only at the start", async () => {
    const first = open();
    first.owners.claim([{ provider: "old", uris: ["x://1"] }]);
    await first.settled();
    const { owners, settled } = open();
    owners.retain(["new", "other"]);
    owners.claim([{ provider: "new", uris: ["x://1"] }]);
    owners.retain(["other"]);
    owners.claim([{ provider: "other", uris: ["x://1"] }]);
    expect(owners.ownerOf("x://1")).toBe("new");
    await settled();
    expect(open().owners.ownerOf("x://1")).toBe("new");
  });

  it("keeps a bounded number, those listed last", () => {
    const { owners } = open();
    const uris = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => `x://${from + i}`);
    owners.claim([{ provider: "p", uris: uris(0, 10_000) }]);
    owners.claim([{ provider: "p", uris: uris(10_000, 20_000) }]);
    owners.claim([{ provider: "p", uris: [...uris(0, 10), ...uris(20_000, 20_100)] }]);
    expect(owners.entries()[0]?.[1]).toHaveLength(20_000);
    expect(owners.ownerOf("x://5")).toBe("p");
    expect(owners.ownerOf("x://50")).toBeNull();
    expect(owners.ownerOf("x://20050")).toBe("p");
  });

  it.each(["", "{}", '{"version":1,"owners":[["p",["short"]]]}', '{"version":1,"owners":{"p":[]}}', "null", "[1"])(
    "refuses a damaged file, %j, and says what to do",
    (text) => {
      writeFileSync(file(), text);
      expect(() => open()).toThrow(/uri-owners\.json is damaged.*remove it/);
    },
  );

  it("goes on and reports it when the file cannot be written", async () => {
    const { owners, settled } = open();
    rmSync(dir, { recursive: true });
    writeFileSync(dir, "in the way");
    owners.claim([{ provider: "p", uris: ["x://1"] }]);
    await settled();
    expect(owners.ownerOf("x://1")).toBe("p");
    expect(String(reports[0])).toContain("uri-owners.json could not be written");
  });
});
