import { describe, expect, it } from "vitest";
import { signerOf } from "../../kernel/signing.ts";
import { principalFindings } from "./principal-findings.ts";
import { readChpKeys } from "./read-chp-keys.ts";

const KEY = signerOf(Buffer.alloc(32, 1)).publicKey;

const read = (lines: readonly string[], env: Record<string, string> = {}, loopback = true) =>
  readChpKeys(lines, { env, loopback });
const pointersOf = (found: readonly { pointer: string }[]): string[] => found.map(({ pointer }) => pointer);

describe("the file's CHP keys", () => {
  it("may be written out where only this machine reaches them, and nowhere else", () => {
    const lines = ["runner:k", "scoped:sk:conformance.echo"];
    expect(read(lines)).toMatchObject({ keys: [{ name: "runner", key: "k" }, { name: "scoped" }], findings: [] });
    const { keys, findings } = read(lines, {}, false);
    expect([keys, pointersOf(findings)]).toEqual([[], ["/auth/chpKeys/0", "/auth/chpKeys/1"]]);
    expect(findings[0]?.message).toContain('"runner:${env:NAME}"');
    expect(findings[0]?.message).not.toContain("runner:k");
  });

  it("may always stand in the environment, in part or as a whole", () => {
    const lines = [
      "runner:${env:K}",
      "runner:${env:K2}:a|b__*",
      "${env:WHOLE}",
      "runner:prefix-${env:K3}",
      "n:${env:a:b}",
    ];
    const env = { K: "1", K2: "2", WHOLE: "whole:3:x:y|z", K3: "4", "a:b": "5" };
    expect(read(lines, env, false)).toEqual({
      findings: [],
      keys: [
        { name: "runner", key: "1", scopes: null },
        { name: "runner", key: "2", scopes: ["a", "b__*"] },
        { name: "whole", key: "3", scopes: ["x:y", "z"] },
        { name: "runner", key: "prefix-4", scopes: null },
        { name: "n", key: "5", scopes: null },
      ],
    });
  });

  it.each(["runner", "runner:", ":k", "a b:k", "runner:k:", "runner:k:a||b", "", "runner:${env:K"])(
    "are not of the form %j",
    (line) => {
      const { keys, findings } = read([line], { K: "k" });
      expect([keys, pointersOf(findings)]).toEqual([[], ["/auth/chpKeys/0"]]);
    },
  );

  it.each<[string, string, Record<string, string>]>([
    ["is not set", "runner:${env:K}", {}],
    ["is not set", "runner:${env:K}", { K: "" }],
    ["is not set", "${env:K}", {}],
    ["is not set", "runner:${env:OTHER}-${env:K}", { OTHER: "s3cret" }],
    ["has a colon", "runner:${env:K}", { K: "ab:s3cret" }],
    ["has a colon", "runner:${env:K}:a|b", { K: "s3cret:" }],
    ["is no", "runner:${env:K}", { K: "s3cret and more" }],
    ["is no", "${env:K}", { K: "s3cret" }],
    ["is no", "${env:K}", { K: "runner:${env:s3cret}" }],
  ])("are missed by the name of the variable when it %s: %s", (said, line, env) => {
    const { keys, findings } = read([line], env, false);
    expect([keys, pointersOf(findings)]).toEqual([[], ["/auth/chpKeys/0"]]);
    expect(findings[0]?.message).toContain(said);
    expect(findings[0]?.message).toMatch(/\bK\b/);
    expect(findings[0]?.message).not.toContain("s3cret");
  });

  it("are told apart by their secret, so no two may share one, wherever it stands", () => {
    expect(pointersOf(read(["a:same", "b:same"]).findings)).toEqual(["/auth/chpKeys/1"]);
    const { keys, findings } = read(["a:s3cret", "b:${env:K}", "c:${env:L}", "d:d"], { K: "s3cret", L: "s3cret" });
    expect(keys.map(({ name }) => name)).toEqual(["a", "d"]);
    expect(findings.map(({ message }) => message)).toEqual([
      "b (K) has the same key as a; give each line its own",
      "c (L) has the same key as a; give each line its own",
    ]);
  });
});

describe("the file's principals", () => {
  const find = (names: string[], keyNames: string[] = [], tokens: Record<string, string> = {}) =>
    principalFindings({ principals: Object.fromEntries(names.map((name) => [name, {}])), keyNames, tokens });

  it("are named in either spelling, or as a key or token of CHP is", () => {
    const names = ["agent:x", "agent://x", "person:a%2Fb", "runner", "hidden", "partner"];
    expect(find(names, ["runner", "hidden"], { partner: KEY })).toEqual([]);
  });

  it("are nobody when they are misspelt, so that no bound is lost without a word", () => {
    expect(find(["agnet:x", "runner", "agent:"]).map(({ pointer }) => pointer)).toEqual([
      "/auth/principals/agnet:x",
      "/auth/principals/runner",
      "/auth/principals/agent:",
    ]);
  });

  it("are pinned to public keys, whole ones", () => {
    const found = find([], [], { partner: KEY, "a b": KEY, short: "AAAA" });
    expect(found.map(({ pointer }) => pointer)).toEqual(["/auth/tokens/a b", "/auth/tokens/short"]);
  });
});
