import { chmodSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { existsSync } from "node:fs";
import { makeWorkDir, runBundles, until, untilRunning } from "../bundles-for-tests.ts";
import { makeTrier } from "./confined-for-tests.ts";
import { findBwrap } from "./find-bwrap.ts";

/** A search path with a Node and no bubblewrap. */
const withoutBwrap = { ...process.env, PATH: "/nowhere" };

describe("a sandbox that this machine does not have", () => {
  test("is told in the status of a bundle that may run without", async () => {
    const dir = makeWorkDir();
    makeTrier(dir, "trier");
    const entry = { path: "trier", sandbox: "bwrap" };
    const { provider, bundles } = await runBundles(dir, { bundles: [entry] }, { env: withoutBwrap });
    await untilRunning(provider("trier"));
    expect(bundles.statusOf("trier").warnings).toEqual([
      "bubblewrap (bwrap) is not on the host's PATH, so trier runs without its sandbox; install bubblewrap",
    ]);
    expect(bundles.find("trier").bundle.facts()?.sandbox).toBe("off");
  });

  test("refuses a bundle that must have it, and nothing of that is started", async () => {
    const dir = makeWorkDir();
    makeTrier(dir, "trier", { FIXTURE_PIDS: join(dir, "pids") });
    const entry = { path: "trier", sandbox: { profile: "bwrap", require: true } };
    const { provider } = await runBundles(dir, { bundles: [entry] }, { env: withoutBwrap });
    await until(() => provider("trier").status().state === "refused");
    expect(provider("trier").status()).toMatchObject({
      reason: `trier may only run in the sandbox "bwrap", and bubblewrap (bwrap) is not on the host's PATH.`,
      next: expect.stringMatching(/Install bubblewrap.*bailiwick bundle start trier.*"require": false/),
    });
    expect(existsSync(join(dir, "pids"))).toBe(false);
  });

  test("is one that is there and does not work, with its own words", async () => {
    const dir = makeWorkDir();
    const program = join(dir, "bwrap");
    writeFileSync(program, "#!/bin/sh\necho 'no permission to make namespaces' >&2\nexit 1\n");
    chmodSync(program, 0o755);
    expect(await findBwrap(`${dir}:/nowhere`)).toEqual({
      ok: false,
      reason: `${program} does not work on this machine: no permission to make namespaces`,
    });
    writeFileSync(program, "#!/bin/sh\nexit 0\n");
    expect(await findBwrap(dir)).toEqual({ ok: true, program });
  });

  test("is not looked for in the working directory", async () => {
    expect(await findBwrap(":.:bin")).toMatchObject({ ok: false });
  });
});
