import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkManifest } from "./check-manifest.ts";
import { writeFinding } from "./manifest.ts";

const GOOD = {
  manifest_version: "0.3",
  name: "@acme/echo",
  version: "1.0.0",
  description: "d",
  author: { name: "a" },
  server: { type: "node", entry_point: "i.js", mcp_config: { command: "node", args: ["${__dirname}/i.js"] } },
};
const errorsOf = (value: unknown, profile: "strict" | "tolerant" = "strict"): string[] =>
  checkManifest(value, profile).errors.map(writeFinding);
const warningsOf = (value: unknown, profile: "strict" | "tolerant" = "strict"): string[] =>
  checkManifest(value, profile).warnings.map(writeFinding);
const without = (key: string): Record<string, unknown> =>
  Object.fromEntries(Object.entries(GOOD).filter(([each]) => each !== key));
const withHost = (block: unknown): Record<string, unknown> => ({ ...GOOD, _meta: { "ai.nimblebrain/host": block } });

describe("manifest versions", () => {
  test.each([
    [{ ...GOOD }, []],
    [{ ...GOOD, manifest_version: "0.4" }, []],
    [{ ...without("manifest_version"), dxt_version: "0.3" }, []],
    [without("manifest_version"), ['/manifest_version: must be "0.3" or "0.4" (it is missing)']],
    [{ ...GOOD, manifest_version: "0.2" }, ['/manifest_version: must be "0.3" or "0.4" (found "0.2")']],
    [{ ...without("manifest_version"), dxt_version: "0.1" }, ['/dxt_version: must be "0.3" or "0.4" (found "0.1")']],
  ])("%#", (manifest, errors) => {
    expect(errorsOf(manifest)).toEqual(errors);
    expect(errorsOf(manifest, "tolerant")).toEqual(errors);
  });

  test("uv exists since 0.4 and needs no mcp_config there", () => {
    const server = { type: "uv", entry_point: "s.py" };
    expect(errorsOf({ ...GOOD, manifest_version: "0.4", server })).toEqual([]);
    expect(errorsOf({ ...GOOD, server })).toEqual([
      '/server/type: must be one of "node", "python", "binary" (found "uv")',
      "/server/mcp_config: is missing",
    ]);
  });
});

describe("profiles", () => {
  test("strict names everything that is missing or unknown, each with its path", () => {
    const server = { type: "node", mcp_config: { args: "x", envs: {} } };
    const manifest = { manifest_version: "0.3", name: "", server, icns: 1 };
    expect(errorsOf(manifest).toSorted()).toEqual(
      [
        '/name: must be a non-empty string (found "")',
        "/version: is missing",
        "/description: is missing",
        "/author: is missing",
        "/icns: unknown key",
        "/server/entry_point: is missing",
        "/server/mcp_config/command: is missing",
        '/server/mcp_config/args: must be an array (found "x")',
        "/server/mcp_config/envs: unknown key",
      ].toSorted(),
    );
  });

  test("tolerant does without description, author, entry_point and with unknown keys, and warns", () => {
    const server = { type: "node", mcp_config: { command: "node" } };
    const manifest = { manifest_version: "0.3", name: "x", version: "1", server, extra: 1 };
    expect(errorsOf(manifest, "tolerant")).toEqual([]);
    expect(warningsOf(manifest, "tolerant").toSorted()).toEqual([
      "/author: is missing",
      "/description: is missing",
      "/extra: unknown key",
      "/server/entry_point: is missing",
    ]);
    expect(errorsOf({ ...manifest, version: 1 }, "tolerant")).toEqual([
      "/version: must be a non-empty string (found 1)",
    ]);
  });
});

describe("the host block", () => {
  const KEY = "ai.nimblebrain/host-resources";
  const AT = "/_meta/ai.nimblebrain~1host";

  test("what is required is read, what is optional is not", () => {
    const host_capabilities = {
      [KEY]: { required: true },
      "com.acme/other": {},
      "com.acme/third": { required: false },
    };
    expect(checkManifest(withHost({ host_version: "1.1", host_capabilities }), "strict").requiredExtensions).toEqual([
      KEY,
    ]);
  });

  test.each([
    [{}, `${AT}/host_version: must be "MAJOR.MINOR", "1.0" or "1.1" (it is missing)`],
    [{ host_version: "1" }, `${AT}/host_version: must be "MAJOR.MINOR", "1.0" or "1.1" (found "1")`],
    [{ host_version: 1.1 }, `${AT}/host_version: must be "MAJOR.MINOR", "1.0" or "1.1" (found 1.1)`],
    [{ host_version: "1.1", host_capabilities: [] }, `${AT}/host_capabilities: must be an object (found [])`],
    [
      { host_version: "1.1", host_capabilities: { plain: {} } },
      `${AT}/host_capabilities/plain: the key must look like reverse.dns/name`,
    ],
    [
      { host_version: "1.1", host_capabilities: { "a.b/c": { requierd: true } } },
      `${AT}/host_capabilities/a.b~1c/requierd: unknown member; only "required" is known`,
    ],
    [
      { host_version: "1.1", host_capabilities: { "a.b/c": { required: "yes" } } },
      `${AT}/host_capabilities/a.b~1c/required: must be true or false (found "yes")`,
    ],
    [
      { host_version: "1.1", host_capabilities: { "a.b/c": true } },
      `${AT}/host_capabilities/a.b~1c: must be an object (found true)`,
    ],
  ])("a schema error in both profiles: %o", (block, error) => {
    expect(errorsOf(withHost(block))).toEqual([error]);
    expect(errorsOf(withHost(block), "tolerant")).toEqual([error]);
  });

  test("requirements under 1.0 and a misspelt host_capabilities are errors when strict, warnings when tolerant", () => {
    const old = withHost({ host_version: "1.0", host_capabilities: { [KEY]: { required: true } } });
    const misspelt = withHost({ host_version: "1.1", host_capabilites: {} });
    for (const manifest of [old, misspelt]) {
      expect(errorsOf(manifest)).toHaveLength(1);
      expect(errorsOf(manifest, "tolerant")).toEqual([]);
      expect(warningsOf(manifest, "tolerant")).toHaveLength(1);
    }
    expect(checkManifest(old, "tolerant").requiredExtensions).toEqual([KEY]);
  });

  test("a newer version, an unknown key and an old block name are warnings", () => {
    expect(warningsOf(withHost({ host_version: "2.0", icno: "x" }))).toEqual([
      `${AT}/host_version: 2.0 is newer than the 1.1 this host knows`,
      `${AT}/icno: unknown key, ignored; did you mean "icon"?`,
    ]);
    expect(warningsOf({ ...GOOD, _meta: { "ai.nimblebrain/synapse": {} } })).toHaveLength(1);
  });
});

test("no JSON value makes it throw, and what it accepts can be started from", () => {
  const nearly = fc.record(
    {
      manifest_version: fc.constant("0.3"),
      name: fc.jsonValue(),
      server: fc.jsonValue(),
      _meta: fc.jsonValue(),
      user_config: fc.jsonValue(),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(
      fc.oneof(fc.jsonValue(), nearly),
      fc.constantFrom("strict" as const, "tolerant" as const),
      (value, profile) => {
        const { manifest, errors } = checkManifest(value, profile);
        expect(manifest === null).toBe(errors.length > 0);
        expect(typeof (manifest?.server.mcp_config?.command ?? "uv")).toBe("string");
      },
    ),
  );
});

describe("a hostile manifest", () => {
  const many = (count: number, key: (index: number) => string): Record<string, number> =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [key(index), 0]));

  test("has its faults counted, and only the first of them told", () => {
    const { manifest, errors, errorCount } = checkManifest({ ...GOOD, ...many(5_000, (at) => `x${at}`) }, "strict");
    expect([manifest, errorCount, errors.length]).toEqual([null, 5_000, 101]);
    expect(errors.at(-1)?.message).toBe("and 4900 more");
  });

  test("does not hide an error behind warnings", () => {
    const { manifest, warnings } = checkManifest({ ...many(5_000, (at) => `x${at}`), ...GOOD, name: 7 }, "tolerant");
    expect(manifest).toBeNull();
    expect(warnings).toHaveLength(101);
  });

  test.each([
    ["keys", { host_version: "1.1", ...many(190_000, (at) => `host_capabil${at.toString(36)}`) }],
    ["requirements", { host_version: "1.1", host_capabilities: many(190_000, (at) => `a.b/${at}`) }],
  ])("with a hundred thousand %s in its host block is refused in a line", (_what, block) => {
    for (const profile of ["strict", "tolerant"] as const) {
      expect(errorsOf(withHost(block), profile)).toEqual([
        expect.stringMatching(/has 190000 keys; at most 100 are read$/),
      ]);
    }
  });

  test("with keys of any length is told of in short lines", () => {
    const key = "k".repeat(500_000);
    const lines = [...errorsOf({ ...GOOD, [key]: 1 }), ...warningsOf(withHost({ host_version: "1.1", [key]: 1 }))];
    expect(lines).toHaveLength(2);
    for (const line of lines) expect(line.length).toBeLessThan(300);
  });
});
