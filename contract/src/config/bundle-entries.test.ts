import { describe, expect, test } from "vitest";
import { formatFinding } from "./finding.ts";
import { parseConfig } from "./parse-config.ts";

const read = (...bundles: unknown[]) => parseConfig(JSON.stringify({ bundles }), { dialect: "bailiwick" });
const errors = (...bundles: unknown[]): string[] => read(...bundles).errors.map(formatFinding);
const warnings = (...bundles: unknown[]): string[] => read(...bundles).warnings.map(formatFinding);
const url = { url: "https://a.example/mcp", serverName: "a" };

describe("the three kinds of entry", () => {
  test("a path entry has the defaults of a process", () => {
    expect(read({ path: "./echo" }).config?.bundles).toEqual([
      {
        kind: "path",
        path: "./echo",
        serverName: null,
        env: {},
        userConfig: {},
        allowedEnv: [],
        sandbox: { profile: "off", require: false, network: "host", read: [], write: [] },
        protected: false,
        trustScore: null,
        ui: null,
        hostExtensions: null,
        pinning: "hold",
        isolation: "shared",
        concurrency: 32,
        timeoutMs: 60_000,
        maxTimeoutMs: 1_800_000,
        enabled: true,
      },
    ]);
  });

  test("a url entry has a transport and nothing of a process", () => {
    const [entry] = read(url).config?.bundles ?? [];
    expect(entry).toMatchObject({
      kind: "url",
      url: "https://a.example/mcp",
      serverName: "a",
      transport: {
        auth: { type: "none" },
        headers: {},
        reconnection: { initialReconnectionDelay: 1000, maxReconnectionDelay: 30_000, maxRetries: null },
      },
    });
    expect(entry).not.toHaveProperty("env");
    expect(entry).not.toHaveProperty("sandbox");
  });

  test("a name entry has version and arguments", () => {
    expect(read({ name: "npm:@acme/x", version: "1.2.3-rc.1", args: ["--a"] }).config?.bundles[0]).toMatchObject({
      kind: "name",
      name: "npm:@acme/x",
      version: "1.2.3-rc.1",
      args: ["--a"],
    });
  });

  test.each([
    [{}, "none"],
    [{ serverName: "a" }, "none"],
    [{ name: "a", path: "b" }, "name, path"],
    [{ name: "a", url: "https://a.example" }, "name, url"],
    [{ name: "a", path: "b", url: "https://a.example" }, "name, path, url"],
  ])("%j is refused: exactly one source", (entry, found) => {
    expect(errors({ path: "x" }, { path: "y" }, entry)).toEqual([
      `/bundles/2: give exactly one of name, path, url (found ${found})`,
    ]);
  });

  test("a field of another kind is named and ignored", () => {
    expect(warnings({ ...url, env: { A: "b" }, version: "1.0.0" }, { path: "a", transport: {}, args: [] })).toEqual([
      "/bundles/0/version: ignored: it has a meaning for name entries only, and this is a url entry",
      "/bundles/0/env: ignored: it has a meaning for name and path entries only, and this is a url entry",
      "/bundles/1/args: ignored: it has a meaning for name entries only, and this is a path entry",
      "/bundles/1/transport: ignored: it has a meaning for url entries only, and this is a path entry",
    ]);
  });
});

describe("names", () => {
  test("a url entry must have one", () => {
    expect(errors({ url: "https://a.example" })).toEqual([
      "/bundles/0/serverName: missing; a url entry has no other name",
    ]);
  });

  test.each(["Echo", "a_b", "-a", "", "a".repeat(49), "a b", 5])("%j is none", (serverName) => {
    const [error, ...more] = errors({ path: "a", serverName });
    expect(error).toMatch(/^\/bundles\/0\/serverName: expected 1 to 48 characters/);
    expect(more).toEqual([]);
  });

  test("of two entries with one name the later will be refused, and the file still counts", () => {
    const entries = [{ path: "a", serverName: "echo" }, { name: "@acme/Echo" }, { path: "c", serverName: "echo" }];
    expect(warnings(...entries)).toEqual([
      '/bundles/1: this entry will be refused (name_taken): /bundles/0 is already called "echo"; give one of them another serverName',
      '/bundles/2/serverName: this entry will be refused (name_taken): /bundles/0 is already called "echo"; give one of them another serverName',
    ]);
    expect(read(...entries).config?.bundles).toHaveLength(3);
  });

  test.each(["nb", "files", "compose", "skills", "capabilities", "host"])("%s is the host's own", (serverName) => {
    expect(warnings({ path: "a", serverName })).toEqual([
      `/bundles/0/serverName: this entry will be refused: "${serverName}" is reserved for the host; give the entry another serverName`,
    ]);
  });

  test("a name that gives no provider name is told", () => {
    expect(warnings({ name: "@acme/_" })).toEqual([
      "/bundles/0: this entry will be refused: no provider name can be made of its name; set serverName",
    ]);
  });
});

describe("fields", () => {
  test.each<[field: string, value: unknown]>([
    ["version", "^1.0.0"],
    ["version", "latest"],
    ["env", { A: 1 }],
    ["env", { "A=B": "x" }],
    ["env", { A: "x\0" }],
    ["env", ["A=b"]],
    ["userConfig", { a: { b: 1 } }],
    ["allowedEnv", "HOME"],
    ["args", "x"],
    ["protected", "yes"],
    ["trustScore", 101],
    ["trustScore", -1],
    ["ui", { name: "A" }],
    ["hostExtensions", "all"],
    ["sandbox", "strict"],
    ["sandbox", { network: "some" }],
    ["pinning", "on"],
    ["isolation", "user"],
    ["concurrency", 0],
    ["timeoutMs", 0],
    ["timeoutMs", 2_147_483_648],
    ["maxTimeoutMs", 0.5],
    ["enabled", 1],
  ])("%s %j is refused at its place", (field, value) => {
    const found = read({ name: "a", maxTimeoutMs: 2_147_483_647, [field]: value }).errors;
    const pointers = found.map((error) => error.pointer).filter((pointer) => pointer !== "/bundles/0");
    expect(pointers.length).toBeGreaterThan(0);
    for (const pointer of pointers) expect(pointer.startsWith(`/bundles/0/${field}`)).toBe(true);
  });

  test("a user_config value is a string, a number, a boolean or a list of strings", () => {
    const userConfig = { a: "x", b: 1, c: false, d: ["x", "y"] };
    expect(read({ path: "a", userConfig }).config?.bundles[0]).toMatchObject({ userConfig });
  });

  test("the patience of a call is not above its limit", () => {
    expect(errors({ path: "a", timeoutMs: 1_800_001 })).toEqual([
      "/bundles/0: timeoutMs (1800001) is above maxTimeoutMs (1800000); lower the one or raise the other",
    ]);
    expect(errors({ path: "a", maxTimeoutMs: 100 })).toHaveLength(1);
  });

  test("a sandbox by word takes the rest from the whole file, an object stands for itself", () => {
    const file = {
      sandbox: { require: true, network: "none" },
      bundles: [{ path: "a" }, { path: "b", sandbox: "bwrap" }, { path: "c", sandbox: { profile: "bwrap" } }],
    };
    const entries = parseConfig(JSON.stringify(file), { dialect: "bailiwick" }).config?.bundles ?? [];
    expect(entries.map((entry) => entry.kind === "path" && entry.sandbox)).toMatchObject([
      { profile: "off", require: true, network: "none" },
      { profile: "bwrap", require: true, network: "none" },
      { profile: "bwrap", require: false, network: "host" },
    ]);
  });
});

describe("url and transport", () => {
  test.each(["ftp://a.example", "a.example", "", "https://", "file:///etc/passwd", 5])("url %j is refused", (value) => {
    expect(errors({ url: value, serverName: "a" })[0]).toMatch(
      /^\/bundles\/0\/url: expected an http: or https: URL, found /,
    );
  });

  test.each([
    { type: "none" },
    { type: "bearer", token: "${env:T}" },
    { type: "header", name: "X-Key", value: "v" },
    { type: "oauth", grant: "client_credentials", clientId: "c", clientSecret: "s", scopes: ["a"] },
  ])("auth $type is taken", (auth) => {
    expect(read({ ...url, transport: { auth } }).config?.bundles[0]).toMatchObject({ transport: { auth } });
  });

  test.each([
    { type: "basic" },
    {},
    { type: "bearer" },
    { type: "bearer", token: "a\nb" },
    { type: "header", name: "X Key", value: "v" },
    "bearer",
  ])("auth %j is refused", (auth) => {
    const [error] = read({ ...url, transport: { auth } }).errors;
    expect(error?.pointer).toMatch(/^\/bundles\/0\/transport\/auth/);
  });

  test("an oauth entry has a connection for each principal unless it says otherwise", () => {
    const transport = { auth: { type: "oauth" } };
    expect(read({ ...url, transport }).config?.bundles[0]?.isolation).toBe("principal");
    expect(read({ ...url, transport, isolation: "shared" }).config?.bundles[0]?.isolation).toBe("shared");
  });

  test("type, reconnection, headers and the old sessionId are taken", () => {
    const transport = {
      type: "streamable-http",
      headers: { "X-A": "b" },
      reconnection: { initialReconnectionDelay: 0, maxReconnectionDelay: 5, maxRetries: 0 },
      sessionId: "old",
    };
    const reading = read({ ...url, transport });
    expect(reading.warnings).toEqual([]);
    expect(reading.config?.bundles[0]).toMatchObject({ transport });
  });

  test.each([
    { type: "stdio" },
    { headers: { "a b": "c" } },
    { headers: { a: "b\r\nc: d" } },
    { reconnection: { maxRetries: -1 } },
  ])("transport %j is refused", (transport) => {
    expect(read({ ...url, transport }).config).toBeNull();
  });
});
