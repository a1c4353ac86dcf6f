import * as fc from "fast-check";
import { expect, test } from "vitest";
import { childEnvironment, type ChildEnvironmentOptions } from "./child-environment.ts";

const BASE: ChildEnvironmentOptions = {
  host: {},
  platform: "linux",
  manifest: {},
  entry: {},
  allowed: [],
  workspace: "ws_default",
  dataDir: "/data/x",
  confined: false,
  marker: "abc",
};
const OWN = {
  BAILIWICK_WORKSPACE_ID: "ws_default",
  BAILIWICK_BUNDLE_DATA: "/data/x",
  NB_WORKSPACE_ID: "ws_default",
  MPAK_WORKSPACE: "/data/x",
  UPJACK_ROOT: "/data/x",
  BAILIWICK_SPAWN: "abc",
};

test("a process gets the listed variables of the host and no others", () => {
  const listed = Object.fromEntries(
    [
      ..."PATH HOME USER LOGNAME SHELL LANG LC_ALL LC_TIME TERM TMPDIR TZ XDG_RUNTIME_DIR NODE_ENV NODE_PATH".split(
        " ",
      ),
      ..."PYTHONPATH VIRTUAL_ENV SSL_CERT_FILE SSL_CERT_DIR NODE_EXTRA_CA_CERTS".split(" "),
    ].map((name) => [name, "v"]),
  );
  const others = { ANTHROPIC_API_KEY: "k", AWS_SECRET_ACCESS_KEY: "k", NODE_OPTIONS: "--inspect", LCX: "1", path: "p" };
  expect(childEnvironment({ ...BASE, host: { ...listed, ...others } })).toEqual({ ...listed, ...OWN });
});

test("what the entry writes wins over the manifest, over what is let in, over the host", () => {
  const host = { LANG: "host", A: "host", B: "host", C: "host", D: "host" };
  const env = childEnvironment({
    ...BASE,
    host,
    allowed: ["A", "B", "C", "MISSING"],
    manifest: { B: "manifest", C: "manifest", LANG: "manifest" },
    entry: { C: "entry" },
  });
  expect(env).toEqual({ LANG: "manifest", A: "host", B: "manifest", C: "entry", ...OWN });
});

test("the host's own variables get in by no way, whatever their case", () => {
  const name = fc.constantFrom(
    "BAILIWICK_KEY",
    "BAILIWICK_WORK_DIR",
    "BAILIWICK_SPAWN",
    "NB_API_KEY",
    "NB_INTERNAL_TOKEN",
    "nb_api_key",
  );
  fc.assert(
    fc.property(fc.array(name, { minLength: 1 }), (names) => {
      const map = Object.fromEntries(names.map((each) => [each, "leak"]));
      const env = childEnvironment({ ...BASE, host: map, manifest: map, entry: map, allowed: names });
      expect(env).toEqual(OWN);
    }),
  );
});

test("on Windows the system's own few come along", () => {
  const host = { SystemRoot: "C:\\Windows", Path: "C:\\bin", SECRET: "no" };
  expect(childEnvironment({ ...BASE, platform: "win32", host })).toEqual({
    SystemRoot: "C:\\Windows",
    Path: "C:\\bin",
    ...OWN,
  });
});

test("a confined process lives in its data directory and hears of no place in the home it does not see", () => {
  const host = {
    HOME: "/home/u",
    TMPDIR: "/home/u/tmp",
    XDG_CONFIG_HOME: "/home/u/.config",
    XDG_RUNTIME_DIR: "/run/user/1",
    XDG_DATA_DIRS: "/usr/share",
    LANG: "C",
  };
  const env = childEnvironment({ ...BASE, host, confined: true, entry: { XDG_CACHE_HOME: "/c", HOME: "/elsewhere" } });
  expect(env).toEqual({ LANG: "C", XDG_DATA_DIRS: "/usr/share", XDG_CACHE_HOME: "/c", HOME: "/data/x", ...OWN });
});

test("on Windows, where case does not tell names apart, no spelling lets the host's own variables in", () => {
  const names = ["Bailiwick_Key", "bailiwick_work_dir", "Nb_Api_Key", "nb_internal_token", "NB_INTERNAL_Token"];
  const map = Object.fromEntries(names.map((name) => [name, "leak"]));
  const options = { ...BASE, platform: "win32", host: map, manifest: map, entry: map, allowed: names } as const;
  expect(childEnvironment(options)).toEqual(OWN);
});
