import { describe, expect, it } from "vitest";
import fc from "fast-check";
import { parseConfig } from "@bailiwick/contract";
import { clientPlan, placeWith } from "./import-plan-for-tests.ts";
import type { ImportPlace } from "./import-step.ts";

const reasonOf = (server: unknown): string => clientPlan({ x: server }).steps[0]?.notes.join("; ") ?? "";

const GITHUB = {
  command: "npx",
  args: ["-y", "@modelcontextprotocol/server-github@1.2.0", "--quick"],
  env: { GITHUB_TOKEN: "ghp_0123456789", LOG: "debug" },
};

describe("servers of an MCP client", () => {
  it("a package that npx starts becomes one of npm, and its secret a variable", () => {
    const plan = clientPlan({ GitHub: GITHUB });
    expect(plan.bundles).toEqual([
      {
        name: "npm:@modelcontextprotocol/server-github",
        version: "1.2.0",
        args: ["--quick"],
        serverName: "github",
        env: { GITHUB_TOKEN: "${env:GITHUB_TOKEN}", LOG: "debug" },
      },
    ]);
    expect(plan.variables).toEqual([
      { name: "GITHUB_TOKEN", bundle: "github", where: "env GITHUB_TOKEN", isSet: false },
    ]);
    const runs = "runs npm:@modelcontextprotocol/server-github@1.2.0 --quick";
    expect(plan.steps).toEqual([{ kind: "bundle", from: "GitHub", to: "github", action: "add", notes: [runs] }]);
  });

  it("no secret of the source stands anywhere in a plan", () => {
    const secrets = ["ghp_0123456789", "pw-of-db", "sk-argument", "k-header", "t-bearer", "flagged"];
    const plan = clientPlan({
      a: GITHUB,
      b: { command: "npx", args: ["-y", "pg-server", "postgresql://u:pw-of-db@h/db"] },
      c: { command: "/usr/bin/server", args: ["--api-key=sk-argument", "--password", "flagged"] },
      d: { url: "https://m.example/mcp", headers: { Authorization: "Bearer t-bearer", "X-Api-Key": "k-header" } },
    });
    expect(plan.bundles).toHaveLength(4);
    for (const secret of secrets) expect(JSON.stringify(plan)).not.toContain(secret);
    expect(plan.variables.map(({ name }) => name)).toEqual([
      "GITHUB_TOKEN",
      "B_ARGUMENT_3",
      "API_KEY",
      "PASSWORD",
      "D_TOKEN",
      "D_X_API_KEY",
    ]);
    expect(plan.bundles[2]).toMatchObject({
      userConfig: { argument_1: "--api-key=${env:API_KEY}", argument_3: "${env:PASSWORD}" },
    });
    const [, manifest] = plan.manifests;
    expect(JSON.parse(manifest?.text ?? "")).toMatchObject({
      server: {
        mcp_config: {
          command: "/usr/bin/server",
          args: ["${user_config.argument_1}", "--password", "${user_config.argument_3}"],
        },
      },
      user_config: { argument_1: { sensitive: true, required: true } },
    });
  });

  it("two values under one name get two variables, and so does one that is set to something else", () => {
    const other = { ...GITHUB, args: ["-y", "other"], env: { GITHUB_TOKEN: "ghp_other" } };
    const names = (env: ImportPlace["env"]) => clientPlan({ a: GITHUB, b: other }, placeWith({}, { env })).variables;
    expect(names({}).map(({ name }) => name)).toEqual(["GITHUB_TOKEN", "B_GITHUB_TOKEN"]);
    expect(names({ GITHUB_TOKEN: "ghp_0123456789" })[0]).toMatchObject({ name: "GITHUB_TOKEN", isSet: true });
    expect(names({ GITHUB_TOKEN: "mine" })[0]).toMatchObject({ name: "A_GITHUB_TOKEN", isSet: false });
    const own = clientPlan({ a: { ...GITHUB, env: { BAILIWICK_KEY: "x" } } }).variables;
    expect(own[0]?.name).toBe("A_BAILIWICK_KEY");
  });

  it("references of the clients become those of this host", () => {
    const env = { A: "${FOO}", B: "${BAR:-x}/y", C: "${env:BAZ}", D: "${input:api-key}", E: "${HOME}/x" };
    expect(clientPlan({ a: { command: "srv", env } }).bundles[0]?.["env"]).toEqual({
      A: "${env:FOO}",
      B: "${env:BAR}/y",
      C: "${env:BAZ}",
      D: "${env:API_KEY}",
      E: "/home/ann/x",
    });
  });

  it("a command gets a package of its own, with its paths made whole", () => {
    const plan = clientPlan({ py: { command: "./bin/run", args: ["./data", "main.py", "plain"], disabled: true } });
    expect(plan.bundles).toEqual([{ path: "/kept/imported/py", serverName: "py", enabled: false }]);
    expect(JSON.parse(plan.manifests[0]?.text ?? "")).toMatchObject({
      manifest_version: "0.3",
      name: "py",
      server: { mcp_config: { command: "/src/bin/run", args: ["/src/data", "/src/main.py", "plain"] } },
    });
  });

  it.each([
    [
      { url: "https://a.example/mcp", type: "sse" },
      { url: "https://a.example/mcp", transport: { type: "sse" } },
    ],
    [{ serverUrl: "https://a.example/mcp" }, { url: "https://a.example/mcp" }],
    [{ httpUrl: "https://a.example/mcp" }, { url: "https://a.example/mcp" }],
    [{ command: "cmd", args: ["/c", "npx", "-y", "pkg@latest"] }, { name: "npm:pkg" }],
    [
      { command: "npx", args: ["-p", "@a/b", "run-it", "--x"] },
      { name: "npm:@a/b", args: ["bin:run-it", "--x"] },
    ],
    [
      { command: "npx", args: ["--package=@a/b", "--", "run-it"] },
      { name: "npm:@a/b", args: ["bin:run-it"] },
    ],
  ])("%j is understood", (server, entry) => {
    expect(clientPlan({ x: server }).bundles).toEqual([{ ...entry, serverName: "x" }]);
  });

  it.each([
    [5, "no object"],
    [{}, "neither command nor url"],
    [{ command: 5 }, "not all texts"],
    [{ command: "x", args: "y" }, "no list"],
    [{ command: "x", args: [{}] }, "not all texts"],
    [{ command: "x", env: { A: {} } }, "env A is no text"],
    [{ command: "x", env: { "A=B": "c", TOKEN: "t" } }, "environment variable"],
    [{ command: "  " }, "empty"],
    [{ command: "bailiwick", args: ["mcp"] }, "Bailiwick itself"],
    [{ command: "node", args: ["/opt/bailiwick/main.js", "mcp"] }, "Bailiwick itself"],
    [{ command: "x", args: ["${workspaceFolder}/y"] }, "${workspaceFolder}"],
    [{ url: "ws://a.example" }, "http: or https:"],
    [{ url: "https://u:p@a.example/mcp" }, "user name or password"],
    [{ url: "https://a.example/mcp?api_key=abc" }, "a secret (api_key)"],
    [{ url: "https://a.example/mcp", headers: { "a b": "c" } }, "HTTP header"],
  ])("%j is skipped with the reason", (server, reason) => {
    const plan = clientPlan({ x: server });
    expect(plan.steps[0]).toMatchObject({ action: "skip", to: null });
    expect(reasonOf(server)).toContain(reason);
    expect([plan.bundles, plan.manifests, plan.variables]).toEqual([[], [], []]);
  });

  it("says what does not come along", () => {
    expect(reasonOf({ command: "x", autoApprove: ["*"] })).toContain("autoApprove is left behind");
    expect(reasonOf({ command: "npx", args: ["-y", "pkg@^1"] })).toContain("no exact one");
    expect(reasonOf({ url: "http://127.0.0.1:1/mcp" })).toContain("allowInsecureRemotes");
  });
});

describe("names", () => {
  const names = (servers: Readonly<Record<string, unknown>>, value = {}) =>
    clientPlan(servers, placeWith(value)).steps.map(({ to }) => to);

  it("that are taken, reserved or the host's own get a number", () => {
    const taken = { bundles: [{ path: "x", serverName: "a" }] };
    expect(names({ a: { command: "1" }, files: { command: "2" }, bash: { command: "3" } }, taken)).toEqual([
      "a-2",
      "files-2",
      "bash-2",
    ]);
    expect(names({ A: { command: "1" }, "a!": { command: "2" } })).toEqual(["a", "a-2"]);
  });

  it.each([
    ["../../etc/passwd", "etc-passwd"],
    ["__proto__", "proto"],
    ["Ünï Cödé", "u-ni-co-de"],
    ["x".repeat(100), "x".repeat(48)],
    ["\u001B[2J", "2j"],
    ["日本", null],
    ["", null],
  ])("%j is called %j", (given, name) => {
    expect(names(JSON.parse(`{${JSON.stringify(given)}:{"command":"srv"}}`) as Record<string, unknown>)).toEqual([
      name,
    ]);
  });
});

describe("a second time", () => {
  const servers = { a: GITHUB, b: { command: "srv", args: ["--key=sk-1"] }, c: { url: "https://a.example/mcp" } };

  it("all is there, under the names it got", () => {
    const taken = placeWith({ bundles: [{ path: "x", serverName: "b" }] });
    const first = clientPlan(servers, taken);
    const manifests = new Map(first.manifests.map(({ directory, text }) => [directory, text]));
    const value = { bundles: [{ path: "x", serverName: "b" }, ...first.bundles] };
    const manifestIn = (directory: string) => manifests.get(directory) ?? null;
    const second = clientPlan(servers, placeWith(value, { manifestIn }));
    expect(second.steps.map(({ action, to }) => [action, to])).toEqual([
      ["there", "a"],
      ["there", "b-2"],
      ["there", "c"],
    ]);
    expect([second.bundles, second.manifests, second.variables]).toEqual([[], [], []]);
  });

  it("another command of the same name is another bundle, and leaves the first package alone", () => {
    const first = clientPlan({ b: { command: "one" } });
    const manifestIn = (directory: string) =>
      first.manifests.find((each) => each.directory === directory)?.text ?? null;
    const second = clientPlan({ b: { command: "two" } }, placeWith({ bundles: first.bundles }, { manifestIn }));
    expect(second.manifests.map(({ directory }) => directory)).toEqual(["/kept/imported/b-2"]);
    const left = clientPlan({ b: { command: "two" } }, placeWith({}, { manifestIn }));
    expect(left.manifests.map(({ directory }) => directory)).toEqual(["/kept/imported/b-2"]);
  });
});

it("whatever a file says, what would be written is a usable configuration", () => {
  const text = fc.oneof(fc.string(), fc.constantFrom("npx", "-y", "${X}", "${", "sk-123456", "--key=abc", "..", "a b"));
  const server = fc.oneof(
    fc.anything(),
    fc.record({ command: text, args: fc.array(text), env: fc.dictionary(text, text) }, { requiredKeys: ["command"] }),
    fc.record({ url: fc.oneof(text, fc.webUrl()), headers: fc.dictionary(text, text) }, { requiredKeys: ["url"] }),
  );
  fc.assert(
    fc.property(fc.dictionary(fc.string(), server, { maxKeys: 5 }), (servers) => {
      const plan = clientPlan(JSON.parse(JSON.stringify(servers)) as Record<string, unknown>);
      const { errors, warnings } = parseConfig(JSON.stringify({ bundles: plan.bundles }), { dialect: "bailiwick" });
      expect([errors, warnings]).toEqual([[], []]);
      expect(plan.manifests.every(({ directory }) => /^\/kept\/imported\/[a-z0-9-]+$/.test(directory))).toBe(true);
    }),
    { numRuns: 300 },
  );
});
