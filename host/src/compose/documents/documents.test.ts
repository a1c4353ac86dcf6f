import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { composeFamilies, type ComposeResources } from "./compose-families.ts";
import { GENERATORS, SERVER, VERSION } from "./documents-for-tests.ts";
import { generatorsDocument, generatorShown, type ListedGenerator } from "./generators-document.ts";
import { GENERATORS_SCHEMA } from "./generators-schema.ts";
import { hostDocument, type HostFacts } from "./host-document.ts";
import { overviewDocument } from "./overview-document.ts";
import { resourcesDocument } from "./resources-document.ts";
import { RESOURCES_SCHEMA } from "./resources-schema.ts";
import { serverDocument } from "./server-document.ts";
import { SERVER_SCHEMA } from "./server-schema.ts";

const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allErrors: true });
const errorsOf = (schema: object, document: object): unknown => {
  const validate = ajv.getSchema((schema as { $id: string }).$id) ?? ajv.compile(schema);
  return validate(read(document)) === true ? [] : validate.errors;
};
const read = (document: object): any => JSON.parse(JSON.stringify(document));

const THERE: ComposeResources = {
  contentConfigs: ["intro", "outro", "more"],
  artifactConfigs: ["book"],
  schemas: ["content", "artifact"],
  contents: [{ id: "intro", version: "2026-01-02T03:04:05.678Z" }],
  generators: ["jinja2"],
};

describe("capabilities://server", () => {
  it("has the keys and values of the format's example in its order, then those of this host", () => {
    const document = serverDocument(SERVER);
    expect(errorsOf(SERVER_SCHEMA, document)).toEqual([]);
    expect(JSON.stringify(document)).toBe(
      `{"name":"bailiwick","version":"${VERSION}","mcp_version":"2026-07-28",` +
        '"features":{"content_generation":true,"artifact_assembly":true,"config_lifecycle":true,"batch_operations":true,' +
        '"ephemeral_storage":true,"resource_providers":true,"generator_plugins":true,"capability_discovery":true,' +
        '"validation_suggestions":false},' +
        '"limits":{"max_content_size_bytes":10000000,"max_artifact_components":100,"ephemeral_retention_days":30,' +
        '"max_batch_size":50},' +
        '"runtime":{"python":"none","fastmcp":"none","platform":"linux","node":"24.21.0","mcp_sdk":"2.4.0"},' +
        '"tool_count":17,"resource_count":5,"generator_count":5,' +
        '"concurrency_limits":{"max_concurrent_generations":8,"max_concurrent_assemblies":4,"queue_size":100,' +
        '"timeout_seconds":300},"mcp_versions":["2026-07-28","2025-11-25"]}',
    );
  });

  it("keeps to the format: what another server of it says is found right by the same schema", () => {
    const example = {
      name: "chora-compose",
      version: "1.2.0",
      mcp_version: "1.0",
      features: { content_generation: true, validation_suggestions: false },
      limits: { max_content_size_bytes: 10_000_000, max_batch_size: 50 },
      runtime: { python: "3.12.10", fastmcp: "2.12.4", platform: "darwin" },
      tool_count: 17,
      resource_count: 5,
      generator_count: 5,
    };
    expect(errorsOf(SERVER_SCHEMA, example)).toEqual([]);
    expect(Object.keys(serverDocument(SERVER)).slice(0, 9)).toEqual(Object.keys(example));
  });

  it("says that a feature is off when it is, and shows the lowered limit", () => {
    const features = { ...SERVER.features, batch_operations: false };
    const document = read(serverDocument({ ...SERVER, features, limits: { ...SERVER.limits, max_batch_size: 5 } }));
    expect([document.features.batch_operations, document.limits.max_batch_size]).toEqual([false, 5]);
  });

  it("is found wrong by its schema where a count or a key of the format is missing", () => {
    const { tool_count: _, ...rest } = read(serverDocument(SERVER));
    expect(errorsOf(SERVER_SCHEMA, rest)).toHaveLength(1);
    expect(errorsOf(SERVER_SCHEMA, { ...rest, tool_count: "17" })).toHaveLength(1);
    expect(errorsOf(SERVER_SCHEMA, { ...rest, tool_count: 17, runtime: { platform: "linux" } })).toHaveLength(2);
  });
});

describe("capabilities://", () => {
  it("names each type with what it holds, and the order to read them in", () => {
    const counts = { tools: 17, resources: 5, generators: 6, skills: 2 };
    const document = read(overviewDocument({ name: "bailiwick", version: VERSION, surfaceVersion: "s1", counts }));
    expect(Object.keys(document)).toEqual(["name", "version", "format", "surface_version", "entries", "workflow"]);
    expect([document.format, document.surface_version]).toEqual(["capabilities/1.3", "s1"]);
    expect(document.entries.map(({ uri, cached, target_ms, count }: any) => [uri, cached, target_ms, count])).toEqual([
      ["capabilities://server", false, 50, null],
      ["capabilities://tools", true, 100, 17],
      ["capabilities://resources", true, 50, 5],
      ["capabilities://generators", false, 50, 6],
      ["capabilities://host", false, null, null],
      ["capabilities://skills", true, null, 2],
    ]);
    expect(Object.keys(document.entries[0])).toEqual(["uri", "purpose", "mime_type", "cached", "target_ms", "count"]);
    expect(document.workflow).toEqual([
      "capabilities://server",
      "capabilities://tools",
      "capabilities://generators",
      "capabilities://resources",
    ]);
  });
});

describe("capabilities://resources", () => {
  it("has the five families of the format with its patterns", () => {
    const document = read(resourcesDocument(composeFamilies(THERE), VERSION));
    expect(errorsOf(RESOURCES_SCHEMA, document)).toEqual([]);
    expect(Object.keys(document.resources)).toEqual(["config", "schema", "content", "generator", "capabilities"]);
    expect(document.metadata).toEqual({ total_count: 5, version: VERSION });
    const keys = ["patterns", "mime_type", "description", "parameters", "examples"];
    for (const family of Object.values<any>(document.resources)) expect(Object.keys(family)).toEqual(keys);
    expect(document.resources.config.patterns).toEqual([
      "config://artifact/{artifact_id}",
      "config://content/{content_id}",
    ]);
    expect(document.resources.config.examples).toEqual([
      "config://artifact/book",
      "config://content/intro",
      "config://content/outro",
    ]);
    expect(document.resources.content.examples).toEqual([
      "content://intro",
      "content://intro/2026-01-02T03:04:05.678Z",
    ]);
    expect(document.resources.capabilities.parameters.capability_type.enum).toEqual([
      "server",
      "tools",
      "resources",
      "generators",
      "host",
      "skills",
    ]);
  });

  it("shows no example of what is not there yet", () => {
    const nothing = { contentConfigs: [], artifactConfigs: [], schemas: [], contents: [], generators: [] };
    const { resources } = read(resourcesDocument(composeFamilies(nothing), VERSION));
    expect([resources.config.examples, resources.content.examples]).toEqual([[], []]);
  });
});

describe("capabilities://generators", () => {
  const plugin: ListedGenerator = {
    entry: {
      ...GENERATORS[0]!.entry,
      type: "shout",
      name: "shout",
      source: "plugin",
      plugin_path: "shout.generator.mjs",
    },
    availability: { status: "unavailable", reason: "It lacks a key.", missing: ["SHOUT_KEY"] },
  };
  const rejected = [{ plugin_path: "x.generator.js", reason_code: "type_taken", message: "There is one." }] as const;

  it("has built-in ones and plug-ins, what each is missing, and the files that are not served", () => {
    const document = read(generatorsDocument({ generators: [...GENERATORS, plugin], rejected, version: VERSION }));
    expect(errorsOf(GENERATORS_SCHEMA, document)).toEqual([]);
    expect(Object.keys(document)).toEqual(["generators", "selection_strategy", "metadata"]);
    expect(JSON.stringify(document.metadata)).toBe(
      `{"version":"${VERSION}","generator_count":6,"builtin_count":5,"plugin_count":1,"rejected":${JSON.stringify(rejected)}}`,
    );
    expect(Object.keys(document.generators.shout)).toEqual([
      "type",
      "name",
      "version",
      "source",
      "plugin_path",
      "status",
      "capabilities",
      "indicators",
      "requirements",
      "best_for",
      "docs_uri",
      "upstream_dependencies",
      "availability",
    ]);
    expect(document.generators.shout).toEqual(read(generatorShown(plugin)));
    expect(document.generators.jinja2).not.toHaveProperty("plugin_path");
  });

  it("says of code generation what the format's example says, and of the others that they need nobody", () => {
    const { generators } = read(generatorsDocument({ generators: GENERATORS, rejected: [], version: VERSION }));
    expect(generators.code_generation).toMatchObject({
      type: "code_generation",
      requirements: {
        fields: ["generation.patterns[0].specification"],
        dependencies: ["anthropic"],
        env_vars: ["ANTHROPIC_API_KEY"],
      },
      upstream_dependencies: {
        services: ["anthropic"],
        credentials_required: ["ANTHROPIC_API_KEY"],
        optional_services: [],
        expected_latency_ms: { p50: 1500, p95: 5000 },
        stability: "stable",
        concurrency_safe: true,
      },
    });
    expect(generators.jinja2.upstream_dependencies).toBe(null);
  });

  it("is found wrong by its schema when a built-in one has a path, or a plug-in none", () => {
    const { plugin_path, ...pathless } = plugin.entry;
    const wrong = [
      { ...plugin, entry: pathless },
      { ...GENERATORS[0]!, entry: { ...GENERATORS[0]!.entry, plugin_path: plugin_path ?? "" } },
    ];
    for (const listed of wrong) {
      const document = generatorsDocument({ generators: [listed], rejected: [], version: VERSION });
      expect(errorsOf(GENERATORS_SCHEMA, document)).not.toEqual([]);
    }
  });
});

describe("capabilities://host", () => {
  const facts: HostFacts = {
    host: { id: "h", version: VERSION, kind: "workspace", protocolVersion: "0.1", assurance: "signed", keyId: "k" },
    declaredCapabilities: ["usd"],
    extensions: { "ai.nimblebrain/host-resources": {} },
    roots: [{ name: "work", usable: true, path: "/secret" } as HostFacts["roots"][number]],
    states: ["invokable", "disabled", "invokable"],
    policy: { version: "p1", digest: "sha256:0", maxRiskTier: "high" },
    evidence: { store: "local-append-only", durability: "before-execution", position: null },
    manifest: "/chp/host",
    doors: ["mcp", "rest", "chp"],
  };

  it("says what the host declares, allows and keeps, and no path", () => {
    expect(JSON.stringify(hostDocument(facts))).toBe(
      `{"host":{"id":"h","version":"${VERSION}","kind":"workspace","protocol_version":"0.1","assurance":"signed","key_id":"k"},` +
        '"declared_capabilities":["usd"],"extensions":{"ai.nimblebrain/host-resources":{}},' +
        '"roots":[{"name":"work","usable":true}],"lifecycle":{"invokable":2,"disabled":1},' +
        '"policy":{"version":"p1","digest":"sha256:0","max_risk_tier":"high"},' +
        '"evidence":{"store":"local-append-only","append_only":true,"durability":"before-execution"},' +
        '"doors":["mcp","rest","chp"],"manifest":"/chp/host"}',
    );
  });

  it("tells how long the log is to those who may read it, and names no key that there is not", () => {
    const { host, evidence } = facts;
    const unsigned = { ...facts, host: { ...host, keyId: null }, evidence: { ...evidence, position: 12 } };
    const document = read(hostDocument(unsigned));
    expect(document.evidence.position).toBe(12);
    expect(document.host).not.toHaveProperty("key_id");
    expect(hostDocument({ ...facts, manifest: null })).not.toHaveProperty("manifest");
  });
});
