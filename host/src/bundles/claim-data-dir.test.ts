import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { claimDataDir } from "./claim-data-dir.ts";
import { entrySource, hashSource } from "./entry-source.ts";

const ACME = hashSource("name:@acme/mail");
const OTHER = hashSource("name:@other/mail");

const makeHome = (): { home: string; place: string; claim: (source: string) => string | null } => {
  const home = mkdtempSync(join(tmpdir(), "bailiwick-claim-"));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return {
    home,
    place: join(home, "data", "mail"),
    claim: (source) => claimDataDir({ home, provider: "mail", source }),
  };
};

test("what a bundle left is not there for another of its name, and is there again when it comes back", () => {
  const { place, claim } = makeHome();
  expect(claim(ACME)).toBeNull();
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "letters"), "acme's");
  expect(claim(ACME)).toBeNull();
  const aside = claim(OTHER);
  expect(readFileSync(join(aside ?? "", "letters"), "utf8")).toBe("acme's");
  expect(existsSync(place)).toBe(false);
  mkdirSync(place);
  writeFileSync(join(place, "letters"), "the other's");
  expect(claim(ACME)).not.toBe(aside);
  expect(readFileSync(join(place, "letters"), "utf8")).toBe("acme's");
});

test("what nobody is known to own goes to the first who comes", () => {
  const { place, claim } = makeHome();
  mkdirSync(place, { recursive: true });
  writeFileSync(join(place, "old"), "");
  expect(claim(ACME)).toBeNull();
  expect(readdirSync(place)).toEqual(["old"]);
});

test("a change that was cut off in the middle is ended by the next", () => {
  const { home, place, claim } = makeHome();
  claim(ACME);
  mkdirSync(`${place}.${ACME.slice(0, 12)}`, { recursive: true });
  writeFileSync(join(`${place}.${ACME.slice(0, 12)}`, "letters"), "acme's");
  mkdirSync(place);
  expect(claim(ACME)).toBeNull();
  expect(readdirSync(join(home, "data"))).toEqual(["mail"]);
  expect(readdirSync(place)).toEqual(["letters"]);
});

test("another version of a package of npm is the same source", () => {
  const source = (name: string): string =>
    entrySource({ kind: "name", name } as Parameters<typeof entrySource>[0], { baseDir: "/", env: {} });
  expect(source("npm:@a/b@1.0.0")).toBe(source("npm:@a/b@2.0.0"));
  expect(source("npm:b@1.0.0")).toBe(source("npm:b"));
  expect(source("npm:@a/b")).not.toBe(source("npm:@a/c"));
});
