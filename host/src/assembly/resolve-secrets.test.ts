import { type BundleEntry, parseConfig } from "@bailiwick/contract";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { fixtureManifest, makeBundle, makeWorkDir, runBundles, until } from "../bundles/bundles-for-tests.ts";
import { resolveSecrets } from "./resolve-secrets.ts";

const entryOf = (entry: object): BundleEntry => {
  const { config } = parseConfig(JSON.stringify({ bundles: [entry] }), { dialect: "bailiwick" });
  const [parsed] = config?.bundles ?? [];
  if (!parsed) throw new Error("not an entry");
  return parsed;
};

const env = { TOKEN: "s3cret", EMPTY: "", TRICK: "${env:TOKEN}", DOLLAR: "$&$1" };

describe("references to the environment", () => {
  test("are resolved in env and userConfig, whole, embedded and in lists", () => {
    const entry = entryOf({
      path: "${env:TOKEN}",
      env: { A: "${env:TOKEN}", B: "x-${env:TOKEN}-${env:EMPTY}y", C: "plain" },
      userConfig: { list: ["a", "${env:TOKEN}"], count: 3 },
      allowedEnv: ["TOKEN"],
    });
    expect(resolveSecrets(entry, env, "/bundles/0")).toEqual({
      ok: true,
      entry: {
        ...entry,
        path: "${env:TOKEN}",
        env: { A: "s3cret", B: "x-s3cret-y", C: "plain" },
        userConfig: { list: ["a", "s3cret"], count: 3 },
      },
      secrets: ["s3cret"],
    });
  });

  test("are resolved in the transport's auth and headers and not in the URL", () => {
    const entry = entryOf({
      url: "https://a.example/${env:TOKEN}",
      serverName: "a",
      transport: { auth: { type: "bearer", token: "${env:TOKEN}" }, headers: { "X-Key": "k ${env:TOKEN}" } },
    });
    expect(resolveSecrets(entry, env, "/bundles/0")).toMatchObject({
      ok: true,
      entry: {
        url: "https://a.example/${env:TOKEN}",
        transport: { auth: { type: "bearer", token: "s3cret" }, headers: { "X-Key": "k s3cret" } },
      },
      secrets: ["s3cret"],
    });
  });

  test("are resolved once: a value that looks like a reference or a pattern stays as it is", () => {
    const entry = entryOf({ path: "a", env: { A: "${env:TRICK}", B: "${env:DOLLAR}" } });
    expect(resolveSecrets(entry, env, "/bundles/0")).toMatchObject({
      entry: { env: { A: "${env:TOKEN}", B: "$&$1" } },
    });
  });

  test("leave the configuration as it is written", () => {
    const entry = entryOf({ path: "a", env: { A: "${env:TOKEN}" } });
    resolveSecrets(entry, env, "/bundles/0");
    expect(entry).toMatchObject({ env: { A: "${env:TOKEN}" } });
  });

  test("to unset variables are all named with their place", () => {
    const entry = entryOf({
      path: "a",
      env: { "A/B": "${env:NOPE}", C: "${env:TOKEN}" },
      userConfig: { list: ["x", "${env:MISSING} ${env:toString}"] },
    });
    expect(resolveSecrets(entry, env, "/bundles/4")).toEqual({
      ok: false,
      unresolved: [
        ["NOPE", "/bundles/4/env/A~1B"],
        ["MISSING", "/bundles/4/userConfig/list/1"],
        ["toString", "/bundles/4/userConfig/list/1"],
      ].map(([variable, pointer]) => ({
        variable,
        pointer,
        message: `${pointer}: the environment variable ${variable} is not set; set it and start again`,
      })),
    });
  });

  test.each(["BAILIWICK_KEY", "bailiwick_key", "NB_API_KEY", "NB_INTERNAL_TOKEN"])(
    "to %s are refused: it is the host's",
    (name) => {
      const entry = entryOf({ path: "a", env: { A: `\${env:${name}}` } });
      const resolved = resolveSecrets(entry, { [name]: "host-secret" }, "/bundles/0");
      expect(resolved).toMatchObject({ ok: false, unresolved: [{ variable: name, pointer: "/bundles/0/env/A" }] });
      expect(JSON.stringify(resolved)).not.toContain("host-secret");
    },
  );
});

test("a value that a bundle's process repeats when it fails is in no status, event or output", async () => {
  const dir = makeWorkDir();
  const script = join(makeBundle(dir, "b", ""), "server.mjs");
  const server = { type: "node", entry_point: "server.mjs", mcp_config: { command: "node", args: [script] } };
  makeBundle(dir, "b", { ...fixtureManifest("fixture"), server });
  writeFileSync(
    script,
    `const { DATABASE_URL, LET_IN } = process.env;
    console.log("plain text on stdout", DATABASE_URL);
    console.error("let in", LET_IN);
    console.error("password", new URL(DATABASE_URL).password);
    console.error("cannot reach", DATABASE_URL);
    process.exitCode = 3;`,
  );
  const hostEnv = { ...process.env, MY_DB: "postgres://app:hunter2-pw@db.example/main", LET_IN: "let-in-v4lue" };
  const entry = { path: "b", env: { DATABASE_URL: "${env:MY_DB}" }, allowedEnv: ["LET_IN"] };
  const { provider, bundles, events } = await runBundles(
    dir,
    { bundles: [entry], restart: { delaysMs: [0] } },
    { env: hostEnv, resolveSecrets: (each, pointer) => resolveSecrets(each, hostEnv, pointer) },
  );
  await until(() => provider("fixture").status().state === "dead");
  expect(bundles.output("fixture")).toEqual(
    expect.arrayContaining([
      "plain text on stdout [redacted]",
      "let in [redacted]",
      "password [redacted]",
      "cannot reach [redacted]",
    ]),
  );
  expect(provider("fixture").status().lastError).toContain("[redacted]");
  const told = JSON.stringify([provider("fixture").status(), bundles.status(), events, bundles.output("fixture")]);
  expect(told).not.toMatch(/hunter2-pw|let-in-v4lue/);
});
