import { chmodSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { applyImport } from "./import-apply.ts";
import { clientPlan, nimblePlan, placeWith } from "./import-plan-for-tests.ts";

const SECRET = "hunter2-of-ann";

describe("what looks like a secret", () => {
  it.each(["DB_PASS", "SMTP_PASS", "MYSQL_PWD", "BASIC_AUTH", "SENTRY_DSN", "SESSION", "SLACK_WEBHOOK", "PRIVATE_PEM"])(
    "%s of env is a variable, from a client and from NimbleBrain",
    (name) => {
      const env = { [name]: SECRET };
      for (const plan of [
        clientPlan({ x: { command: "srv", env } }),
        nimblePlan({ bundles: [{ path: "./x", env }] }),
      ]) {
        expect(plan.bundles[0]?.["env"]).toEqual({ [name]: `\${env:${name}}` });
        expect(plan.variables).toMatchObject([{ name, where: `env ${name}` }]);
        expect(JSON.stringify(plan)).not.toContain(SECRET);
      }
    },
  );

  it.each([
    `https://hooks.slack.com/services/T0/B0/${SECRET}`,
    `https://discord.com/api/webhooks/1/${SECRET}`,
    `postgres://u:${SECRET}@\${DB_HOST}/db`,
    `Server=db;Uid=u;Pwd=${SECRET}`,
    `https://${SECRET}@git.example/x`,
  ])("the value %s is one under any name", (value) => {
    const plan = clientPlan({ x: { command: "srv", args: [value], env: { PLACE: value } } });
    expect(plan.bundles).toHaveLength(1);
    expect(JSON.stringify(plan)).not.toContain(SECRET);
  });

  it.each([
    ["GIT_AUTHOR_NAME", "ann"],
    ["MAX_TOKENS", "4096"],
    ["SESSION_TIMEOUT", "300"],
    ["AUTH", "none"],
    ["KEY_FILE", "./certs/own.pem"],
    ["BASE", "https://a.example/v1?lang=de"],
  ])("%s=%s is none", (name, value) => {
    expect(clientPlan({ x: { command: "srv", env: { [name]: value } } }).variables).toEqual([]);
  });

  it("stands beside a variable too", () => {
    const env = { API_KEY: `${SECRET}\${TAIL}`, AUTH: "Bearer ${TOKEN}", KEY_FILE: "${DIR}/own", PLACE: "a/${B}" };
    const args = [`--token=${SECRET}\${TAIL}`, "--key", "${KEY}"];
    const headers = { Authorization: `Bearer ${SECRET}\${TAIL}` };
    const plan = clientPlan({ a: { command: "srv", args, env }, b: { url: "https://b.example", headers } });
    expect(JSON.stringify(plan)).not.toContain(SECRET);
    expect(plan.bundles).toMatchObject([
      {
        env: {
          API_KEY: "${env:API_KEY}",
          AUTH: "Bearer ${env:TOKEN}",
          KEY_FILE: "${env:DIR}/own",
          PLACE: "a/${env:B}",
        },
        userConfig: { argument_1: "--token=${env:A_TOKEN}", argument_3: "${env:KEY}" },
      },
      { transport: { auth: { type: "bearer", token: "${env:B_TOKEN}" } } },
    ]);
    const auth = { type: "bearer", token: `${SECRET}\${env:TAIL}` };
    const nimble = nimblePlan({ bundles: [{ url: "https://b.example", serverName: "b", transport: { auth } }] });
    expect(JSON.stringify(nimble)).not.toContain(SECRET);
  });

  it("is none of a header either, of a server or of a model's provider", () => {
    const client = clientPlan({ a: { url: "https://a.example/mcp", headers: { "X-Auth": SECRET, Accept: "x" } } });
    expect(client.bundles[0]).toMatchObject({ transport: { headers: { "X-Auth": "${env:A_X_AUTH}", Accept: "x" } } });
    const own = { type: "openai-compatible", baseURL: "http://m/v1", headers: { "X-Auth": SECRET, "X-Team": "t" } };
    const plan = nimblePlan({ providers: { own } });
    expect(plan.settings).toEqual({
      providers: { own: { ...own, headers: { "X-Auth": "${env:OWN_X_AUTH}", "X-Team": "t" } } },
    });
    expect(JSON.stringify([client, plan])).not.toContain(SECRET);
    const again = nimblePlan({ providers: { own } }, placeWith(plan.settings));
    expect(again.steps).toMatchObject([{ action: "there" }]);
  });

  it.each([
    { name: "npm:x", args: ["--api-key", SECRET] },
    { name: "npm:x", args: [`--password=${SECRET}`] },
    { name: "npm:x", args: [`postgres://u:${SECRET}@h/db`] },
    { url: `https://u:${SECRET}@a.example/mcp`, serverName: "x" },
    { url: `https://u:${SECRET}@a.example/mcp` },
    { url: `https://a.example/mcp?api_key=${SECRET}`, serverName: "x" },
  ])("an entry that cannot do without it is skipped: %j", (entry) => {
    const plan = nimblePlan({ bundles: [entry] });
    expect(plan).toMatchObject({
      bundles: [],
      steps: [{ action: "skip", notes: [expect.stringMatching(/secret|holds|serverName/)] }],
    });
    expect(JSON.stringify(plan)).not.toContain(SECRET);
  });

  it("in lists of userConfig, in a session, in the address of a model", () => {
    const plan = nimblePlan({
      bundles: [
        { path: "./a", userConfig: { api_keys: [SECRET, `${SECRET}2`] } },
        { url: "https://a.example/mcp", serverName: "b", transport: { sessionId: SECRET } },
      ],
      providers: { own: { type: "openai-compatible", baseURL: `http://u:${SECRET}@m/v1` } },
      model: { baseURL: `https://m.example/v1?key=${SECRET}` },
    });
    expect(JSON.stringify(plan)).not.toContain(SECRET);
    expect(plan.bundles).toEqual([
      { path: "/nb/a", userConfig: { api_keys: ["${env:A_API_KEYS}", "${env:A_A_API_KEYS}"] } },
      { url: "https://a.example/mcp", serverName: "b", transport: {} },
    ]);
    expect(plan.settings).toEqual({ providers: {}, model: {} });
  });
});

describe("a plan", () => {
  it("shows what each bundle runs or talks to, with references in place of secrets", () => {
    const plan = clientPlan({
      a: { command: "/bin/srv", args: ["--api-key", SECRET, "--into", "a b"] },
      b: { url: "https://a.example/mcp" },
      c: { command: "npx", args: ["-y", "pkg@1.0.0", "--x"] },
    });
    expect(plan.steps.map(({ notes }) => notes[0])).toEqual([
      "runs /bin/srv --api-key ${env:API_KEY} --into 'a b'",
      "connects to https://a.example/mcp",
      "runs npm:pkg@1.0.0 --x",
    ]);
    expect(nimblePlan({ bundles: [{ path: "./a" }] }).steps[0]?.notes).toEqual(["runs the package in /nb/a"]);
  });

  it("hands the key of a model to no bundle, and says so", () => {
    const env = { ANTHROPIC_API_KEY: "${ANTHROPIC_API_KEY}", KEY: "${env:OPENAI_API_KEY}", LEVEL: "${LEVEL}" };
    const headers = { "X-Key": "${ANTHROPIC_API_KEY}" };
    const plan = clientPlan({
      a: { command: "srv", env },
      b: { url: "https://a.example/mcp", headers },
      c: { command: "srv", args: ["--key=${OPENAI_API_KEY}"] },
    });
    expect(plan.bundles).toEqual([
      { path: "/kept/imported/a", serverName: "a", env: { LEVEL: "${env:LEVEL}" } },
      { url: "https://a.example/mcp", serverName: "b" },
    ]);
    expect(plan.variables.map(({ name }) => name)).toEqual(["LEVEL"]);
    const [first, second, third] = plan.steps.map(({ notes }) => notes.join("; "));
    expect(first).toMatch(/env ANTHROPIC_API_KEY is left out.*env KEY is left out.*OPENAI_API_KEY/);
    expect(second).toContain("header X-Key is left out");
    expect(third).toContain("its arguments hand on OPENAI_API_KEY");
    const foreign = { env: { K: "${env:ANTHROPIC_API_KEY}" }, allowedEnv: ["OPENAI_API_KEY", "LANG"] };
    const nimble = nimblePlan({ bundles: [{ path: "./a", ...foreign }] });
    expect(nimble.bundles).toEqual([{ path: "/nb/a", env: {}, allowedEnv: ["LANG"] }]);
    expect(nimble.steps[0]?.notes).toHaveLength(3);
  });

  it("keeps a key of a bundle's own apart from the host's", () => {
    const plan = clientPlan({ a: { command: "srv", env: { ANTHROPIC_API_KEY: "sk-ant-of-a" } } });
    expect(plan.bundles[0]).toMatchObject({ env: { ANTHROPIC_API_KEY: "${env:A_ANTHROPIC_API_KEY}" } });
    const openai = { type: "openai-compatible", baseURL: "http://m/v1", apiKey: "sk-1" };
    expect(nimblePlan({ providers: { openai } }).variables).toMatchObject([{ name: "OPENAI_API_KEY" }]);
  });
});

it("what is written is for its owner alone", async () => {
  const dir = mkdtempSync(join(tmpdir(), "import-mode-"));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const configFile = join(dir, "bailiwick.json");
  writeFileSync(configFile, "{}");
  chmodSync(configFile, 0o644);
  const place = placeWith({}, { configFile, baseDir: dir, importedDir: join(dir, "imported") });
  const plan = clientPlan({ a: { command: "srv" } }, place);
  expect(await applyImport(plan, place)).toMatchObject({ tightened: true });
  expect(statSync(configFile).mode & 0o777).toBe(0o600);
  expect(statSync(join(dir, "imported", "a", "manifest.json")).mode & 0o777).toBe(0o600);
  expect(readFileSync(configFile, "utf8")).toContain('"serverName": "a"');
});
