import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { formatFinding } from "./finding.ts";
import { parseConfig, type ConfigReading } from "./parse-config.ts";

const read = (file: unknown): ConfigReading => parseConfig(JSON.stringify(file), { dialect: "bailiwick" });
const errors = (file: unknown): string[] => read(file).errors.map(formatFinding);
const warnings = (file: unknown): string[] => read(file).warnings.map(formatFinding);

describe("errors", () => {
  test("everything is reported at once, each with its pointer and the value found", () => {
    expect(
      errors({
        version: "2",
        maxIterations: 26,
        http: { port: "80" },
        bundles: [{ path: "a" }, 7, { name: "x", url: "https://a.example", serverName: "a" }],
        agents: { helper: { description: "d", tools: [] } },
      }),
    ).toEqual([
      '/version: expected "1", found "2"',
      '/http/port: expected an integer from 0 to 65535, found "80"',
      "/bundles/1: expected an object, found 7",
      "/maxIterations: expected an integer from 1 to 25, found 26",
      "/agents/helper/systemPrompt: missing; expected a string",
      "/bundles/2: give exactly one of name, path, url (found name, url)",
    ]);
  });

  test("there is no configuration when there is an error", () => {
    expect(read({ maxIterations: 0 }).config).toBeNull();
  });

  test("a syntax error has line and column", () => {
    const { errors: found, config } = parseConfig('{\n  "version": "1",\n}', { dialect: "bailiwick" });
    expect(found.map(formatFinding)).toEqual([
      "line 3, column 1: not valid JSON: the comma before this is one too many",
    ]);
    expect(config).toBeNull();
  });

  test.each(["[]", "null", "3", '"x"'])("a file that holds %s is refused", (text) => {
    expect(parseConfig(text, { dialect: "bailiwick" }).errors.map(formatFinding)).toEqual([
      "expected the file to hold one JSON object",
    ]);
  });

  test("a file that an editor began with a byte order mark is read", () => {
    expect(parseConfig("\ufeff{}", { dialect: "bailiwick" }).errors).toEqual([]);
  });

  test("a wrong word comes with the words there are and the nearest", () => {
    expect(errors({ evidence: { durability: "bached" } })).toEqual([
      '/evidence/durability: expected one of "before-execution", "batched", "memory" (did you mean "batched"?), found "bached"',
    ]);
  });

  test("a long value is cut and stays on one line", () => {
    const [message] = errors({ maxIterations: `${"x".repeat(500)}\n` });
    expect(message).toMatch(/found "x{60}"…$/);
  });

  test("a value that may be a secret is not shown, only its type", () => {
    const secret = "hunter2-hunter2";
    const found = read({
      model: secret,
      storage: { type: "postgres", url: [secret] },
      auth: { chpKeys: [`${secret}\n`] },
      providers: { a: { type: "anthropic", apiKey: { secret } }, b: secret },
      bundles: [
        { path: "a", env: { T: [secret], U: `${secret}\0` }, userConfig: { key: { secret } } },
        { url: `ftp://u:${secret}@a.example`, serverName: "a", transport: { auth: secret } },
        { url: "https://a.example", serverName: "b", transport: { auth: { type: "bearer", token: `${secret}\n` } } },
        { url: "https://a.example", serverName: "c", transport: { headers: { Authorization: `${secret}\r\n` } } },
      ],
    });
    expect(found.errors.length).toBeGreaterThanOrEqual(10);
    expect(JSON.stringify(found)).not.toContain(secret);
  });
});

describe("unknown keys", () => {
  test("are warnings with the nearest known key of that level, at any depth", () => {
    const file = {
      maxDirectTool: 5,
      http: { prot: 1 },
      agents: { a: { description: "", systemPrompt: "", tools: [], modle: "x" } },
      bundles: [
        { path: "a", enviroment: {} },
        { url: "https://a.example", serverName: "a", transport: { heders: {} } },
      ],
      zzz: 1,
    };
    expect(warnings(file)).toEqual([
      '/maxDirectTool: unknown key, ignored; did you mean "maxDirectTools"?',
      '/http/prot: unknown key, ignored; did you mean "port"?',
      '/agents/a/modle: unknown key, ignored; did you mean "model"?',
      "/bundles/0/enviroment: unknown key, ignored",
      '/bundles/1/transport/heders: unknown key, ignored; did you mean "headers"?',
      "/zzz: unknown key, ignored",
    ]);
    expect(read(file).config).not.toBeNull();
  });

  test.each([
    ["host", { knd: "x" }, "/host/knd", "kind"],
    ["capabilities", { requir: {} }, "/capabilities/requir", "require"],
    ["capabilities", { roots: { profil: "strict" } }, "/capabilities/roots/profil", "profile"],
    ["chp", { listn: {} }, "/chp/listn", "listen"],
    ["policy", { ruels: [] }, "/policy/ruels", "rules"],
    ["policy", { rules: [{ id: "a", match: { tool: ["x"] }, effect: "deny" }] }, "/policy/rules/0/match/tool", "tools"],
    ["approvals", { approverKey: [] }, "/approvals/approverKey", "approverKeys"],
    ["auth", { principals: { "agent:a": { permision: [] } } }, "/auth/principals/agent:a/permision", "permissions"],
    ["evidence", { redct: {} }, "/evidence/redct", "redact"],
    ["sandbox", { profil: "bwrap" }, "/sandbox/profil", "profile"],
    ["hostResources", { enable: false }, "/hostResources/enable", "enabled"],
  ])("are errors inside %s: %j", (block, value, pointer, close) => {
    const { errors: found, config } = read({ [block]: value });
    expect(found.map((finding) => finding.pointer)).toEqual([pointer]);
    expect(found[0]?.message).toBe(`unknown key, refused in this block; did you mean "${close}"?`);
    expect(config).toBeNull();
  });

  test("are errors in an entry's own sandbox too", () => {
    expect(errors({ bundles: [{ path: "a", sandbox: { profil: "bwrap" } }] })).toEqual([
      '/bundles/0/sandbox/profil: unknown key, refused in this block; did you mean "profile"?',
    ]);
  });

  test("that objects inherit are unknown too", () => {
    expect(warnings({ constructor: 1, http: { toString: 1 } })).toEqual([
      "/constructor: unknown key, ignored",
      "/http/toString: unknown key, ignored",
    ]);
  });
});

describe("references to the environment", () => {
  test("are left as written, and told where they are not resolved", () => {
    const file = {
      storage: { type: "postgres", url: "${env:PG}" },
      model: { apiKey: "${env:KEY}" },
      providers: { a: { type: "anthropic", apiKey: "${env:KEY}" } },
      bundles: [
        { path: "${env:DIR}", env: { A: "${env:A}" }, userConfig: { b: ["${env:B}"] } },
        { url: "https://a.example", serverName: "a", transport: { auth: { type: "bearer", token: "${env:T}" } } },
      ],
    };
    expect(read(file).warnings.map((finding) => finding.pointer)).toEqual([
      "/storage/url",
      "/model/apiKey",
      "/bundles/0/path",
    ]);
    expect(read(file).config?.bundles[0]).toMatchObject({ env: { A: "${env:A}" } });
  });
});

describe("any input", () => {
  const text = fc.oneof(
    fc.string(),
    fc.json(),
    fc.jsonValue({ maxDepth: 4 }).map((value) => JSON.stringify(value)),
  );
  test("ends in a reading and never in an exception", () => {
    fc.assert(
      fc.property(text, fc.constantFrom("bailiwick" as const, "nimblebrain" as const), (input, dialect) => {
        const reading = parseConfig(input, { dialect });
        expect(reading.config === null).toBe(reading.errors.length > 0);
      }),
      { numRuns: 500 },
    );
  });

  const KEYS = [
    "bundles",
    "http",
    "policy",
    "sandbox",
    "auth",
    "agents",
    "storage",
    "registries",
    "mcp",
    "restart",
    "models",
  ];
  const FIELDS = [
    "name",
    "path",
    "url",
    "serverName",
    "transport",
    "type",
    "rules",
    "env",
    "sandbox",
    "port",
    "default",
    "auth",
  ];
  const json: fc.Memo<unknown> = fc.memo((depth) => {
    const leaf = fc.oneof(
      fc.constantFrom<unknown>(null, true, -1, 1.5, "", "x", "bearer", "postgres", "bwrap"),
      fc.integer(),
    );
    if (depth <= 1) return leaf;
    return fc.oneof(
      leaf,
      fc.array(json(depth - 1), { maxLength: 3 }),
      fc.dictionary(fc.constantFrom(...FIELDS), json(depth - 1)),
    );
  });
  test("with the right keys and any values is read or refused, with every error at a pointer", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom(...KEYS), json(4)), (file) => {
        for (const dialect of ["bailiwick", "nimblebrain"] as const) {
          const reading = parseConfig(JSON.stringify(file), { dialect });
          expect(reading.config === null).toBe(reading.errors.length > 0);
          for (const error of reading.errors) expect(error.pointer).toMatch(/^\//);
        }
      }),
      { numRuns: 2000 },
    );
  });
});
