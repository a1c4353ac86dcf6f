/** An MCP registry as the host meets it. */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import type { Refusal } from "../../kernel/refusal.ts";
import { makeWorkDir } from "../bundles-for-tests.ts";
import { makeArchive } from "./archive-for-tests.ts";
import { makeSources, nameEntry, order, sendJson, startRegistry, type TestRegistry } from "./sources-for-tests.ts";

const NAME = "io.github.acme/weather";

/** Knows one server, in one version. */
const openRegistry = (server: Readonly<Record<string, unknown>>): Promise<TestRegistry> =>
  startRegistry((_request, response, url) => {
    const path = `/v0.1/servers/${encodeURIComponent(NAME)}/versions/`;
    if (url.pathname !== `${path}latest` && url.pathname !== `${path}1.0.0`) return sendJson(response, {}, 404);
    sendJson(response, { server: { name: NAME, description: "d", version: "1.0.0", ...server }, _meta: {} });
  });

const sourcesOf = (url: string, dir = makeWorkDir()): ReturnType<typeof makeSources> =>
  makeSources(dir, { registries: [{ type: "mcp", url }] });

const stdio = { type: "stdio" };

test("an archive is downloaded and checked against its hash", async () => {
  const bytes = await makeArchive("weather", "1.0.0");
  const fileSha256 = createHash("sha256").update(bytes).digest("hex");
  const files = await startRegistry((_request, response) => response.end(bytes));
  const packages = [
    { registryType: "npm", identifier: "weather", version: "1.0.0", transport: stdio },
    { registryType: "mcpb", identifier: `${files.url}/weather.mcpb`, fileSha256, transport: stdio },
  ];
  const registry = await openRegistry({ packages });
  const { locate, remoteFor } = sourcesOf(registry.url);
  const located = await locate(nameEntry(NAME), order());
  expect(located).toMatchObject({ digest: `sha256:${fileSha256}`, origin: `mcp ${registry.url}`, cached: false });
  expect(registry.asked).toEqual(["/v0.1/servers/io.github.acme%2Fweather/versions/latest"]);
  await expect(remoteFor(nameEntry(NAME), AbortSignal.timeout(5_000))).resolves.toBeNull();

  const wrong = await openRegistry({ packages: [{ ...packages[1], fileSha256: "1".repeat(64) }] });
  await expect(sourcesOf(wrong.url).locate(nameEntry(NAME, { version: "1.0.0" }), order())).rejects.toMatchObject({
    details: { expected: `sha256:${"1".repeat(64)}`, actual: `sha256:${fileSha256}` },
  });
  await expect(sourcesOf(wrong.url).locate(nameEntry(NAME, { version: "3.0.0" }), order())).rejects.toThrow(
    /3\.0\.0 was not found in mcp/,
  );
});

test.each<[what: string, server: object, why: RegExp]>([
  [
    "of Python only",
    { packages: [{ registryType: "pypi", identifier: "weather" }] },
    /only as pypi; the host installs mcpb and npm/,
  ],
  ["as containers", { packages: [{ registryType: "oci" }, { registryType: "nuget" }] }, /only as oci, nuget;/],
  [
    "that listens by itself",
    { packages: [{ registryType: "npm", identifier: "x", transport: { type: "sse" } }] },
    /only as npm/,
  ],
  ["without a hash", { packages: [{ registryType: "mcpb", identifier: "https://a.example/x" }] }, /without a SHA-256/],
  [
    "of another npm",
    { packages: [{ registryType: "npm", identifier: "x", registryBaseUrl: "https://npm.example", transport: stdio }] },
    /not npm's registry/,
  ],
  [
    "with a name that is an option",
    { packages: [{ registryType: "npm", identifier: "--global", version: "1.0.0", transport: stdio }] },
    /is not the name of a package/,
  ],
  [
    "with a name that is an address",
    { packages: [{ registryType: "npm", identifier: "git+ssh://a/b", version: "1.0.0", transport: stdio }] },
    /is not the name of a package/,
  ],
  [
    "with a range",
    { packages: [{ registryType: "npm", identifier: "x", version: "^1.0.0", transport: stdio }] },
    /not an exact version/,
  ],
  ["without a version", { version: 7 }, /could not be asked \(it names no version/],
  ["with nothing", {}, /neither a package nor an address/],
  [
    "with a hole in its address",
    { remotes: [{ type: "sse", url: "https://{tenant}.example/mcp" }] },
    /needs a value for "tenant"/,
  ],
])("a server %s is refused, and told so", async (_what, server, why) => {
  const { url } = await openRegistry(server as Record<string, unknown>);
  const refusal: unknown = await sourcesOf(url)
    .locate(nameEntry(NAME), order())
    .catch((error: unknown) => error);
  expect(refusal).toMatchObject({ kind: "install_refused" });
  expect((refusal as Refusal).message).toMatch(why);
});

test("a remote server becomes a url entry, and the refusal says that very entry", async () => {
  const remotes = [
    { type: "sse", url: "https://old.example/sse" },
    {
      type: "streamable-http",
      url: "https://{region}.acme.example/mcp",
      variables: { region: { default: "eu" } },
      headers: [
        { name: "X-Plan", value: "free" },
        { name: "Authorization", isRequired: true, isSecret: true },
        { name: "X-Bad", value: "a\r\nb: c" },
      ],
    },
  ];
  const { url } = await openRegistry({ remotes, packages: [{ registryType: "pypi", identifier: "weather" }] });
  const { locate, remoteFor } = sourcesOf(url);
  const entry = {
    url: "https://eu.acme.example/mcp",
    serverName: "weather",
    transport: { type: "streamable-http", headers: { "X-Plan": "free" } },
  };
  const signal = AbortSignal.timeout(5_000);
  await expect(remoteFor(nameEntry(NAME), signal)).resolves.toEqual(entry);
  await expect(remoteFor(nameEntry(NAME, { serverName: "mine" }), signal)).resolves.toMatchObject({
    serverName: "mine",
  });
  await expect(locate(nameEntry(NAME), order())).rejects.toMatchObject({
    kind: "install_refused",
    next: `Use this entry in its place: ${JSON.stringify(entry)}`,
  });
});

test.each([
  ["that this host has not", {}, { "com.example/none": { required: true } }, ["ai.nimblebrain/host-resources"]],
  ["that is switched off", { enabled: false }, { "ai.nimblebrain/host-resources": { required: true } }, []],
])("a remote server on this machine that requires an extension %s is refused", async (_, more, wants, provided) => {
  const server = {
    remotes: [{ type: "streamable-http", url: "http://127.0.0.1:1/mcp" }],
    _meta: {
      "io.modelcontextprotocol.registry/publisher-provided": {
        "ai.nimblebrain/host": { host_version: "1.1", host_capabilities: wants },
      },
    },
  };
  const { url } = await openRegistry(server);
  const hostResources = { enabled: true, ratePerSecond: 100, burst: 1000, maxReadBytes: 1_000, ...more };
  const { remoteFor } = makeSources(makeWorkDir(), { registries: [{ type: "mcp", url }], hostResources });
  await expect(remoteFor(nameEntry(NAME), AbortSignal.timeout(5_000))).rejects.toMatchObject({
    details: { bundle: NAME, reason: "capability-unavailable", missing: Object.keys(wants), provided },
  });
});

test("a remote server that requires a host extension is refused unless the entry grants it", async () => {
  const key = "ai.nimblebrain/host-resources";
  const block = { host_version: "1.1", host_capabilities: { [key]: { required: true } } };
  const server = {
    remotes: [{ type: "streamable-http", url: "https://acme.example/mcp" }],
    _meta: { "io.modelcontextprotocol.registry/publisher-provided": { "ai.nimblebrain/host": block } },
  };
  const { url } = await openRegistry(server);
  const { remoteFor } = sourcesOf(url);
  const signal = AbortSignal.timeout(5_000);
  await expect(remoteFor(nameEntry(NAME), signal)).rejects.toMatchObject({
    message: `${NAME}: it requires ${key}. Provided: (none). Refusing to install.`,
    details: { reason: "capability-unavailable", missing: [key], provided: [] },
  });
  await expect(remoteFor(nameEntry(NAME, { hostExtensions: [key] }), signal)).resolves.toMatchObject({
    url: "https://acme.example/mcp",
    hostExtensions: [key],
  });
});
