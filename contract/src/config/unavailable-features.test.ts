import { describe, expect, test } from "vitest";
import { parseConfig } from "./parse-config.ts";
import { unavailableFeatures } from "./unavailable-features.ts";

const unavailable = (file: unknown) => {
  const { config, errors } = parseConfig(JSON.stringify(file), { dialect: "bailiwick" });
  if (config === null) throw new Error(JSON.stringify(errors));
  return unavailableFeatures(config);
};

describe("what the host does not have yet", () => {
  test("is nothing for a file that asks for nothing of it", () => {
    expect(unavailable({})).toEqual([]);
    expect(
      unavailable({
        $schema: "x",
        version: "1",
        workDir: "w",
        http: { host: "127.0.0.1", port: 1, publicOrigin: "https://a.example", allowedHosts: ["a.example"] },
        bundles: [
          {
            path: "a",
            serverName: "a",
            env: {},
            userConfig: {},
            allowedEnv: [],
            enabled: true,
            concurrency: 1,
            timeoutMs: 1,
            maxTimeoutMs: 2,
            isolation: "principal",
            sandbox: "bwrap",
            protected: true,
            pinning: "warn",
            hostExtensions: [],
          },
          { name: "@acme/a" },
          {
            url: "https://a.example",
            serverName: "b",
            transport: {
              type: "streamable-http",
              auth: { type: "bearer", token: "t" },
              headers: { a: "b" },
              reconnection: {},
            },
          },
        ],
        noDefaultBundles: true,
        skillDirs: ["skills"],
        restart: { maxCrashes: 1 },
        allowInsecureRemotes: true,
        allowPrivateRemotes: ["10.0.0.0/8"],
        manifestProfile: "tolerant",
        host: { id: "h" },
        auth: {
          principals: { "agent:a": { max_risk_tier: "low" } },
          oidc: { issuer: "https://issuer.example", rolesClaim: "roles", permissionsClaim: "scope" },
        },
        policy: { rules: [], host: { max_risk_tier: "high" } },
        approvals: { waitSeconds: 1 },
        chp: {},
        evidence: {
          durability: "batched",
          redact: { patterns: ["x"] },
          retention: { days: 1 },
          retainPayloads: ["a__b"],
        },
        storage: { type: "embedded" },
        sandbox: { profile: "bwrap", require: true },
        registries: [],
        files: { maxFiles: 10 },
        hostResources: { enabled: false },
        mcp: { maxRequestBytes: 2048, maxToolNameLength: 32, maxResultBytes: 2048 },
        features: { mcpServer: true, delegation: false, toolDiscovery: true },
        model: {},
        maxIterations: 10,
        agents: {},
        identity: "x",
        store: { type: "memory" },
        capabilities: { require: { "*": ["usd"] }, declared: ["usd"], roots: { list: [] } },
        compose: { limits: { max_batch_size: 5 }, codeGeneration: { provider: "openai" } },
      }),
    ).toEqual([]);
  });

  test("stops the start where leaving it out would widen authority or lose data", () => {
    const found = unavailable({
      storage: { type: "postgres", url: "postgres://a" },
      logging: { level: "debug" },
      features: { mcpServer: false },
    });
    expect(found.filter((feature) => feature.blocking).map((feature) => feature.pointer)).toEqual([
      "/storage/type",
      "/features/mcpServer",
    ]);
    expect(found.filter((feature) => !feature.blocking).map((feature) => feature.pointer)).toEqual(["/logging/level"]);
  });

  test.each<[file: object, pointer: string]>([
    [{ http: { sandboxPort: 7421 } }, "/http/sandboxPort"],
    [{ logging: { dir: "d" } }, "/logging/dir"],
    [{ logging: { level: "debug" } }, "/logging/level"],
  ])("is told for %j, even where it is the default", (file, pointer) => {
    const [feature, ...more] = unavailable(file);
    expect(feature).toMatchObject({ pointer, blocking: false });
    expect(feature?.message).toMatch(/^not available yet: .+; .+/);
    expect(more).toEqual([]);
  });
});
