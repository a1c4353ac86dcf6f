import { mkdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import type { ProviderStatus } from "../../kernel/provider.ts";
import { makeWorkDir, runBundles, until, untilRunning, type TestBundles } from "../bundles-for-tests.ts";
import { attempt, makeTrier, unconfinable, unlessUnconfinable } from "./confined-for-tests.ts";

const BWRAP = { profile: "bwrap", require: true };

interface Order {
  /** Where the package lies. */
  readonly path: string;
  readonly sandbox?: object;
  readonly configFiles: readonly string[];
  readonly workspace?: string;
}

const run = (dir: string, { path, sandbox = {}, ...more }: Order): Promise<TestBundles> =>
  runBundles(
    dir,
    { bundles: [{ path, serverName: "trier", sandbox: { ...BWRAP, ...sandbox } }] },
    { workDir: join(dir, "work"), ...more },
  );

const refusedWith = async ({ provider }: TestBundles): Promise<ProviderStatus> => {
  await until(() => provider("trier").status().state === "refused");
  return provider("trier").status();
};

/** A directory with a package in `trier` and a configuration with a secret beside it. */
const makePlace = (): { readonly dir: string; readonly file: string } => {
  const dir = makeWorkDir();
  makeTrier(dir, "trier");
  const file = join(dir, "bailiwick.json");
  writeFileSync(file, "the token of another entry");
  return { dir, file };
};

describe.skipIf(unconfinable !== null)(`the configuration and a confined process${unlessUnconfinable}`, () => {
  test("a package that lies in the folder of the configuration is shown alone", async () => {
    const { dir, file } = makePlace();
    const { provider } = await run(dir, { path: "trier", configFiles: [file] });
    await untilRunning(provider("trier"));
    expect(await attempt(provider("trier"), { step: "read", path: file })).toBe("no: ENOENT");
  });

  test("a package that is that folder is refused, and the message says what to do", async () => {
    const { dir } = makePlace();
    const file = join(dir, "trier", "bailiwick.json");
    const link = join(dir, "elsewhere", "bailiwick.json");
    writeFileSync(file, "{}");
    mkdirSync(join(dir, "elsewhere"));
    symlinkSync(file, link);
    for (const each of [file, link, join(dir, "trier", "not-yet-written.json")]) {
      expect(await refusedWith(await run(dir, { path: "trier", configFiles: [each] }))).toMatchObject({
        reason: expect.stringContaining("configuration"),
        next: expect.stringContaining(`out of ${join(dir, "trier")}`),
      });
    }
  });

  test.each(["read", "write"])("sandbox.%s does not show it, not even when it is written anew", async (key) => {
    const { dir } = makePlace();
    const folder = join(dir, "around", "etc");
    mkdirSync(folder, { recursive: true });
    const file = join(folder, "bailiwick.json");
    writeFileSync(file, "the token of another entry");
    writeFileSync(join(dir, "around", "list"), "for all");
    const { provider } = await run(dir, { path: "trier", sandbox: { [key]: ["around"] }, configFiles: [file] });
    await untilRunning(provider("trier"));
    const trier = provider("trier");
    expect(await attempt(trier, { step: "read", path: join(dir, "around", "list") })).toBe("for all");
    expect(await attempt(trier, { step: "list", path: folder })).toBe("");
    writeFileSync(`${file}.new`, "another token");
    renameSync(`${file}.new`, file);
    expect(await attempt(trier, { step: "read", path: file })).toBe("no: ENOENT");
    expect(await attempt(trier, { step: "write", path: file })).toBe("no: EROFS");
  });

  test("a folder that the host has yet to make is hidden before the configuration is written", async () => {
    const { dir } = makePlace();
    mkdirSync(join(dir, "around"));
    const folder = join(dir, "around", "etc");
    const file = join(folder, "bailiwick.json");
    const { provider } = await run(dir, { path: "trier", sandbox: { read: ["around"] }, configFiles: [file] });
    await untilRunning(provider("trier"));
    writeFileSync(file, "the token of another entry");
    expect(await attempt(provider("trier"), { step: "list", path: folder })).toBe("");
  });

  test.each([".", "bailiwick.json"])("an entry that names %s for its sandbox is refused", async (path) => {
    const { dir, file } = makePlace();
    const order = { path: "trier", sandbox: { read: [path] }, configFiles: [file] };
    expect(await refusedWith(await run(dir, order))).toMatchObject({
      reason: expect.stringContaining("where the host's configuration lies"),
      next: expect.stringContaining("sandbox.read"),
    });
  });
});

describe.skipIf(unconfinable !== null)(`the work directory and a confined package in it${unlessUnconfinable}`, () => {
  test.each(["work/workspaces", "work/workspaces/ws_default", "work/workspaces/ws_other"])(
    "one that is %s is refused",
    async (path) => {
      const dir = makeWorkDir();
      makeTrier(dir, path);
      const { reason } = await refusedWith(await run(dir, { path, configFiles: [] }));
      expect(reason).toContain("what the host keeps of a workspace");
    },
  );

  test("one with a folder of its own beside the workspace's file works, and does not see that", async () => {
    const dir = makeWorkDir();
    const home = join(dir, "work/workspaces/ws_lab");
    makeTrier(home, "trier");
    const file = join(home, "workspace.json");
    writeFileSync(file, "the token of another entry");
    const path = "work/workspaces/ws_lab/trier";
    const { provider } = await run(dir, { path, configFiles: [file], workspace: "ws_lab" });
    await untilRunning(provider("trier"));
    expect(await attempt(provider("trier"), { step: "list", path: home })).toBe("data trier");
  });
});
