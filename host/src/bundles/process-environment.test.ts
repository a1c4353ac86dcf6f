import { statSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { makeWorkDir, runBundles, untilRunning } from "./bundles-for-tests.ts";
import { factsOf, makeTrier, type ProcessFacts } from "./sandbox/confined-for-tests.ts";

const LISTED = [
  ..."PATH HOME USER LOGNAME SHELL LANG LC_ALL LC_COLLATE TERM TMPDIR TZ XDG_CONFIG_HOME XDG_DATA_DIRS".split(" "),
  ..."NODE_ENV NODE_PATH PYTHONPATH VIRTUAL_ENV SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS".split(" "),
];
const NEVER = ["BAILIWICK_KEY", "BAILIWICK_WORK_DIR", "BAILIWICK_ANYTHING", "NB_API_KEY", "NB_INTERNAL_TOKEN"];
const OTHERS = [
  "ANTHROPIC_API_KEY",
  "AWS_SECRET_ACCESS_KEY",
  "GIT_DIR",
  "SSH_AUTH_SOCK",
  "LCX",
  "XDGX",
  "home",
  "NB_X",
];
const SET = ["BAILIWICK_WORKSPACE_ID", "BAILIWICK_BUNDLE_DATA", "NB_WORKSPACE_ID", "MPAK_WORKSPACE", "UPJACK_ROOT"];

const valued = (names: readonly string[], value: string): Record<string, string> =>
  Object.fromEntries(names.map((name) => [name, value]));

const HOST: Readonly<Record<string, string>> = {
  ...valued([...LISTED, ...NEVER, ...OTHERS, ...SET], "of the host"),
  NODE_EXTRA_CA_CERTS: "/dev/null",
  PATH: process.env["PATH"] ?? "",
};

interface Started extends ProcessFacts {
  readonly state: string;
  readonly data: string;
}

/** A bundle that runs, and what it found in its surroundings. */
const start = async (entry: object = {}, manifestEnv: Readonly<Record<string, string>> = {}): Promise<Started> => {
  const dir = makeWorkDir();
  const state = join(dir, "state");
  makeTrier(dir, "trier", manifestEnv);
  const { provider } = await runBundles(dir, { bundles: [{ path: "trier", ...entry }] }, { env: HOST, workDir: state });
  await untilRunning(provider("trier"));
  return { ...(await factsOf(provider("trier"))), state, data: join(state, "workspaces/ws_default/data/trier") };
};

describe("the process of a bundle", () => {
  test("gets the listed variables of the host, what the host sets, and not one more", async () => {
    const { env, data } = await start();
    const { BAILIWICK_SPAWN: marker, ...rest } = env;
    expect(marker).toMatch(/^[0-9a-f]{32}$/);
    expect(rest).toEqual({
      ...Object.fromEntries(LISTED.map((name) => [name, HOST[name]])),
      BAILIWICK_WORKSPACE_ID: "ws_default",
      BAILIWICK_BUNDLE_DATA: data,
      NB_WORKSPACE_ID: "ws_default",
      MPAK_WORKSPACE: data,
      UPJACK_ROOT: data,
    });
  });

  test("gets what its manifest and its entry write, and a model's key only where its entry allows it", async () => {
    const entry = { env: { B: "entry", TZ: "entry" }, allowedEnv: ["ANTHROPIC_API_KEY", "NOT_SET"] };
    const { env } = await start(entry, { A: "manifest", B: "manifest", LANG: "manifest" });
    expect(env).toMatchObject({
      A: "manifest",
      B: "entry",
      TZ: "entry",
      LANG: "manifest",
      ANTHROPIC_API_KEY: "of the host",
    });
    for (const name of ["NOT_SET", "AWS_SECRET_ACCESS_KEY"]) expect(env).not.toHaveProperty(name);
  });

  test.each([
    ["by the host's own environment", {}, {}],
    ["by its manifest", {}, valued([...NEVER, ...SET], "leak")],
    ["by its entry", { env: valued([...NEVER, ...SET], "leak") }, {}],
    ["by what its entry lets in", { allowedEnv: [...NEVER, ...SET] }, {}],
  ])("never gets the host's own variables: %s", async (_, entry, manifestEnv) => {
    const { env, data } = await start(entry, manifestEnv);
    for (const name of NEVER) expect(env).not.toHaveProperty(name);
    expect(SET.map((name) => env[name])).toEqual(["ws_default", data, "ws_default", data, data]);
  });

  test("works in its data directory, which is its own alone", async () => {
    const { cwd, data } = await start();
    expect(cwd).toBe(data);
    expect(statSync(data).mode & 0o777).toBe(0o700);
  });

  test("is not told where the host keeps its state", async () => {
    const { env, state, data } = await start();
    const told = Object.values(env).filter((value) => value.includes(state));
    expect(new Set(told)).toEqual(new Set([data]));
  });
});
