/** The table of keys: each default, and for each key values that are taken and values that are not. */
import { describe, expect, test } from "vitest";
import { valueAt } from "./value-at.ts";
import { parseConfig } from "./parse-config.ts";

const read = (file: unknown) => parseConfig(JSON.stringify(file), { dialect: "bailiwick" });
const wrap = (path: readonly string[], value: unknown): unknown =>
  path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), value);

test("an empty file gives every default", () => {
  const { $schema, given, ...config } = read({}).config ?? {};
  expect($schema).toBeUndefined();
  expect(given).toEqual([]);
  expect(config).toMatchObject({
    version: "1",
    http: { host: "127.0.0.1", port: 7420, sandboxPort: 7421, allowedHosts: [] },
    model: { provider: "anthropic" },
    providers: {},
    defaultModel: "claude-sonnet-4-5-20250929",
    maxIterations: 10,
    maxInputTokens: 500_000,
    maxOutputTokens: 16_384,
    maxDirectTools: 30,
    bundles: [],
    noDefaultBundles: false,
    registries: [{ type: "mpak", url: "https://registry.mpak.dev" }],
    skillDirs: [],
    agents: {},
    files: { maxFileSize: 26_214_400, maxWorkspaceSize: 1_073_741_824, maxFiles: 10_000 },
    hostResources: { enabled: true, ratePerSecond: 100, burst: 1000, maxReadBytes: 10_485_760 },
    manifestProfile: "strict",
    restart: { maxCrashes: 5, windowSeconds: 60, delaysMs: [0, 1000, 2000, 4000, 8000], resetAfterSeconds: 30 },
    sandbox: { profile: "off", require: false, network: "host", read: [], write: [] },
    allowInsecureRemotes: false,
    allowPrivateRemotes: [],
    features: { bundleManagement: true, skillManagement: true, delegation: true, toolDiscovery: true, mcpServer: true },
    host: { kind: "service" },
    capabilities: { declared: [], require: {}, providers: {}, roots: { fromClients: "auto", profile: "strict" } },
    policy: { mode: "enforce", shipped: true, rules: [], guardrails: [] },
    approvals: { waitSeconds: 50, runWaitSeconds: 300, approverKeys: [] },
    evidence: { durability: "before-execution", retention: { days: null, holds: [] }, retainPayloads: [] },
    chp: { mount: "/chp", mandates: { principals: "pinned", delegateBinding: "key" }, publicDiscovery: [] },
    storage: { type: "embedded" },
    mcp: {
      maxRequestBytes: 4_194_304,
      maxMessageBytes: 67_108_864,
      maxResultBytes: 10_000_000,
      maxToolNameLength: 64,
      holdSeconds: 600,
      sessionIdleSeconds: 1800,
      allowedOrigins: [],
    },
    logging: { level: "normal" },
  });
});

test("the configuration is frozen all the way down", () => {
  const config = read({
    bundles: [{ path: "a", env: { A: "b" } }],
    policy: { capabilities: { a__b: { id: "x" } } },
  }).config;
  const loose: string[] = [];
  const visit = (value: unknown, at: string): void => {
    if (typeof value !== "object" || value === null) return;
    if (!Object.isFrozen(value)) loose.push(at);
    for (const [key, member] of Object.entries(value)) visit(member, `${at}/${key}`);
  };
  visit(config, "");
  expect(loose).toEqual([]);
});

test("what the file sets is remembered, what it leaves to defaults is not", () => {
  expect(read({ http: { port: 1 }, bundles: [{ path: "a" }], nonsense: 1 }).config?.given).toEqual([
    "/http",
    "/http/port",
    "/bundles",
    "/bundles/0/path",
  ]);
});

describe.each<[key: string, good: readonly unknown[], bad: readonly unknown[]]>([
  ["$schema", ["https://x/y.json"], [1]],
  ["version", ["1"], ["2", 1, "", null]],
  ["workDir", ["~/w", "/w", "w"], ["", 1, "a\0b"]],
  ["http.host", ["0.0.0.0", "::1"], ["", " ", 1, "a\nb"]],
  ["http.port", [0, 7420, 65_535], [-1, 65_536, 1.5, "7420", null]],
  ["http.sandboxPort", [0, 1], [65_536]],
  [
    "http.publicOrigin",
    ["https://a.example", "http://a.example:81"],
    ["https://a.example/", "a.example", "ftp://a.example"],
  ],
  ["http.sandboxOrigin", ["https://b.example"], ["https://b.example/x"]],
  ["http.allowedHosts", [[], ["a.example"]], ["a.example", [1], [""]]],
  ["model", [{}, { provider: "x", apiKey: "k", baseURL: "https://a.example" }], [{ provider: "" }, "anthropic"]],
  ["providers", [{ a: { type: "openai-compatible", headers: { "X-A": "b" } } }], [{ a: {} }, { a: { type: "other" } }]],
  ["defaultModel", ["provider:model"], ["", 1]],
  ["maxIterations", [1, 25], [0, 26, 1.5]],
  ["maxInputTokens", [1000], [999]],
  ["maxOutputTokens", [1], [0]],
  ["maxDirectTools", [0], [-1]],
  ["bundles", [[]], [{}, "a"]],
  ["noDefaultBundles", [true], ["true", 1]],
  [
    "registries",
    [[], [{ type: "dir", path: "r" }], [{ type: "mcp", url: "https://a.example" }]],
    [[{ type: "dir" }], [{ type: "x" }], [{}]],
  ],
  ["skillDirs", [["s"]], ["s", [""]]],
  [
    "agents",
    [{ a: { description: "", systemPrompt: "", tools: ["*"], maxIterations: 25 } }],
    [{ a: { description: "" } }, { a: { description: "", systemPrompt: "", tools: [], maxIterations: 26 } }],
  ],
  ["identity", ["# Me"], [1]],
  ["store", [{ type: "jsonl", dir: "c" }, { type: "memory" }], [{}, { type: "sql" }]],
  ["files.maxFileSize", [1, 268_435_456], [0, "1", 268_435_457]],
  ["files.maxWorkspaceSize", [1], [0]],
  ["files.maxFiles", [1], [0]],
  ["hostResources.enabled", [false], [0]],
  ["hostResources.ratePerSecond", [1], [0]],
  ["hostResources.burst", [1], [0]],
  ["hostResources.maxReadBytes", [1], [0]],
  ["manifestProfile", ["tolerant"], ["loose"]],
  ["restart.maxCrashes", [1], [0]],
  ["restart.windowSeconds", [1], [0, 3_000_000]],
  ["restart.delaysMs", [[0]], [[], [-1], 5, [2_147_483_648]]],
  ["restart.resetAfterSeconds", [1], [0]],
  [
    "sandbox",
    [{ profile: "bwrap", require: true, network: "none", read: ["/a"], write: ["b"] }],
    ["bwrap", { profile: "x" }],
  ],
  ["allowInsecureRemotes", [true], ["yes"]],
  [
    "allowPrivateRemotes",
    [["10.0.0.0/8", "fd00::/8"]],
    [["10.0.0.0"], ["10.0.0.0/33"], ["fd00::/129"], ["x/8"], "10.0.0.0/8"],
  ],
  ["features.mcpServer", [false], [0]],
  ["host", [{ id: "a", name: "A", version: "1", kind: "k", environment: "e" }], [{ id: "" }, { id: 1 }]],
  ["capabilities.declared", [["usd"]], ["usd", [1]]],
  ["capabilities.require", [{ "a__*": ["usd"] }], [{ a: "usd" }]],
  [
    "capabilities.roots",
    [{ list: [], fromClients: "never", profile: "permissive" }],
    [{ list: [{ name: "a" }] }, { profile: "x" }],
  ],
  ["approvals.waitSeconds", [0, 50], [-1]],
  ["evidence.durability", ["before-execution", "batched", "memory"], ["none"]],
  ["evidence.retention", [{ days: 30, holds: ["a"] }, { days: null }], [{ days: 0 }]],
  ["evidence.redact", [{ patterns: ["x"] }], [{ patterns: "x" }]],
  ["evidence.retainPayloads", [["a__*"]], [true]],
  ["auth.oidc", [{ issuer: "https://a.example" }], [{}, { issuer: "x" }]],
  ["chp.listen", [{ host: "127.0.0.1", port: 1 }], [{ host: "a" }]],
  ["chp.mount", ["/", "/chp"], ["chp"]],
  ["compose.limits", [{ max_batch_size: 1 }], [{ max_batch_size: 51 }]],
  [
    "storage",
    [{ type: "embedded" }, { type: "postgres", url: "postgres://a" }],
    [{ type: "postgres" }, { type: "mysql" }, {}],
  ],
  ["mcp.maxRequestBytes", [1024], [0, 600_000_000]],
  ["mcp.maxMessageBytes", [1024], [0]],
  ["mcp.maxResultBytes", [1024], [0]],
  ["mcp.maxToolNameLength", [64], [0]],
  ["mcp.holdSeconds", [1], [0]],
  ["mcp.sessionIdleSeconds", [1], [0]],
  ["mcp.allowedOrigins", [["https://a.example"]], [["*"], ["https://a.example/"]]],
  ["logging.level", ["debug"], ["info"]],
  ["logging.retentionDays", [1], [0]],
])("%s", (key, good, bad) => {
  const path = key.split(".");
  test.each(good.map((value) => ({ value })))("takes $value", ({ value }) => {
    const reading = read(wrap(path, value));
    expect(reading.errors).toEqual([]);
    expect(reading.warnings).toEqual([]);
    expect({ taken: valueAt(reading.config, path) }).toMatchObject({ taken: value });
  });
  test.each(bad.map((value) => ({ value })))("refuses $value at its place", ({ value }) => {
    const { errors } = read(wrap(path, value));
    expect(errors.length).toBeGreaterThan(0);
    for (const error of errors) expect(error.pointer.startsWith(`/${path.join("/")}`)).toBe(true);
  });
});
