/** A secret of the host that others could read: it is closed again, and the operator hears of it at the start. */
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { createHost } from "./create-host.ts";
import { loadConfig } from "./load-config.ts";

const SECRETS = ["owner.key", "seal.key", "host-key.json"];

it("each secret that others could read is told of at the start, once", async () => {
  const dir = mkdtempSync(join(tmpdir(), "bailiwick-opened-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, "bailiwick.json");
  writeFileSync(file, JSON.stringify({ version: "1", workDir: join(dir, "work"), noDefaultBundles: true }));
  const loaded = loadConfig({ configFlag: file, env: {}, cwd: dir, home: dir });
  const start = async (): Promise<string[]> => {
    const told: string[] = [];
    const host = await createHost({ loaded, env: process.env, report: (said) => told.push(String(said)) });
    await host.stop();
    return told;
  };
  expect(await start()).toEqual([]);
  const paths = SECRETS.map((name) => join(dir, "work", name));
  for (const path of paths) chmodSync(path, 0o644);
  expect(await start()).toEqual(
    paths.map((path) => expect.stringContaining(`${path} could be read by others (mode 644); it is 600 now`) as string),
  );
  expect(paths.map((path) => statSync(path).mode & 0o777)).toEqual([0o600, 0o600, 0o600]);
  expect(await start()).toEqual([]);
});
