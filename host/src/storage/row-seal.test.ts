import { createCipheriv, createHmac, createSecretKey, hkdfSync, randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { RowSeal } from "./row-seal.ts";

const KEY = createSecretKey(randomBytes(32));
const TEXTS = ["", "a", "fifteen letters", "é🙂\n".repeat(100), "x".repeat(70_000), "the end"];

it("opens what any of the same key has sealed, in any order, and seals the same text never the same", () => {
  const [one, other, reader] = [new RowSeal(KEY), new RowSeal(KEY), new RowSeal(KEY)];
  const rows = TEXTS.flatMap((text) => [one, other].map((seal) => ({ text, row: seal.seal(text) })));
  for (const { text, row } of rows.toReversed()) expect(reader.unseal(row)).toBe(text);
  const again = TEXTS.flatMap((text) => [one, other].map((seal) => seal.seal(text)));
  const all = [...rows.map(({ row }) => row), ...again].map((row) => Buffer.from(row).toString("hex"));
  expect(new Set(all).size).toBe(all.length);
  expect(again.map((row) => reader.unseal(row))).toEqual(TEXTS.flatMap((text) => [text, text]));
});

it("opens nothing that was changed in one bit, cut, or sealed with another key", () => {
  const seal = new RowSeal(KEY);
  seal.seal("before it");
  const row = seal.seal("a text");
  for (let bit = 0; bit < 8 * row.length; bit++) {
    const changed = Buffer.from(row);
    changed[bit >> 3] = changed[bit >> 3]! ^ (1 << (bit & 7));
    expect(seal.unseal(changed)).toBeNull();
  }
  for (let length = 0; length < row.length; length++) expect(seal.unseal(row.subarray(0, length))).toBeNull();
  expect(new RowSeal(createSecretKey(randomBytes(32))).unseal(row)).toBeNull();
});

it("is AES-256-CTR and HMAC-SHA256 of keys made by HKDF, as anybody computes them", () => {
  const seal = new RowSeal(KEY);
  seal.seal("x".repeat(37));
  const row = Buffer.from(seal.seal("a text"));
  const keys = Buffer.from(hkdfSync("sha256", KEY, row.subarray(0, 16), "bailiwick/row-seal", 64));
  // Each row begins with a word of the stream.
  expect(row.readUIntBE(16, 6)).toBe(40);
  const stream = createCipheriv("aes-256-ctr", keys.subarray(0, 32), Buffer.alloc(16));
  stream.update("x".repeat(40));
  expect(row.subarray(22, -16)).toEqual(stream.update("a text"));
  const tag = createHmac("sha256", keys.subarray(32)).update(row.subarray(0, -16)).digest().subarray(0, 16);
  expect(row.subarray(-16)).toEqual(tag);
});

it("opens what an earlier version sealed", () => {
  const nonce = randomBytes(12);
  for (const text of ["", "short", "x".repeat(5000)]) {
    const cipher = createCipheriv("aes-256-gcm", KEY, nonce);
    const row = Buffer.concat([nonce, cipher.update(text), cipher.final(), cipher.getAuthTag()]);
    expect(new RowSeal(KEY).unseal(row)).toBe(text);
  }
});
