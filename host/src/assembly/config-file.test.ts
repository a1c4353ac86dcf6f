import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { ConfigFile } from "./config-file.ts";

const makeFile = (text: string | null): string => {
  const dir = mkdtempSync(join(tmpdir(), "bailiwick-config-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  const file = join(dir, "bailiwick.json");
  if (text !== null) writeFileSync(file, text, { mode: 0o640 });
  return file;
};

const addBundle = (value: Record<string, unknown>): void => {
  value["bundles"] = [...((value["bundles"] as unknown[] | undefined) ?? []), { path: "new" }];
};

describe("a change of the configuration file", () => {
  test("keeps unknown keys, their order, references, indentation and the file's mode", async () => {
    const file = makeFile(
      '{\n\t"zeta": {"x": 1},\n\t"bundles": [{"path": "a", "env": {"K": "${env:SECRET}"}}],\n\t"version": "1"\n}\n',
    );
    await new ConfigFile(file, null).edit(addBundle);
    const text = readFileSync(file, "utf8");
    expect(Object.keys(JSON.parse(text) as object)).toEqual(["zeta", "bundles", "version"]);
    expect(text).toContain('"${env:SECRET}"');
    expect(text).toContain('\n\t"zeta"');
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  test("makes the file, for its owner alone, when there is none", async () => {
    const file = makeFile(null);
    await new ConfigFile(file, null).edit(addBundle);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ bundles: [{ path: "new" }] });
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  test("is no news to whoever made it, and one by hand is, once", async () => {
    const file = makeFile("{}");
    const config = new ConfigFile(file, "{}");
    await config.edit(addBundle);
    expect((await config.look()).isNews).toBe(false);
    writeFileSync(file, '{"version":"1"}');
    expect(await config.look()).toEqual({ text: '{"version":"1"}', isNews: true });
    // Until it was dealt with.
    expect((await config.look()).isNews).toBe(true);
    config.took('{"version":"1"}');
    expect((await config.look()).isNews).toBe(false);
  });

  test("leaves what was written by hand meanwhile in the file, and news", async () => {
    const file = makeFile("{}");
    const config = new ConfigFile(file, "{}");
    writeFileSync(file, '{"bundles":[{"path":"by-hand"}]}');
    await config.edit(addBundle);
    const { text, isNews } = await config.look();
    expect(isNews).toBe(true);
    expect(JSON.parse(text ?? "")).toEqual({ bundles: [{ path: "by-hand" }, { path: "new" }] });
    config.took(text);
    await config.edit(addBundle);
    expect((await config.look()).isNews).toBe(false);
  });

  test("goes through a link to the file that it leads to", async () => {
    const file = makeFile("{}");
    const link = join(dirname(makeFile(null)), "linked.json");
    symlinkSync(file, link);
    await new ConfigFile(link, "{}").edit(addBundle);
    expect(lstatSync(link).isSymbolicLink()).toBe(true);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ bundles: [{ path: "new" }] });
    expect(readdirSync(dirname(file))).toEqual(["bailiwick.json"]);
  });

  test("many at once all take place, one after the other, and leave no draft", async () => {
    const file = makeFile("{}");
    const config = new ConfigFile(file, "{}");
    await Promise.all(Array.from({ length: 20 }, () => config.edit(addBundle)));
    expect((JSON.parse(readFileSync(file, "utf8")) as { bundles: unknown[] }).bundles).toHaveLength(20);
    expect(readdirSync(join(file, ".."))).toEqual(["bailiwick.json"]);
  });

  test.each(["{", "[]", "null"])("leaves a file that holds %s as it is, and says so", async (text) => {
    const file = makeFile(text);
    await expect(new ConfigFile(file, null).edit(addBundle)).rejects.toMatchObject({
      kind: "bad_request",
      message: expect.stringContaining("nothing was written"),
    });
    expect(readFileSync(file, "utf8")).toBe(text);
  });

  test("that fails in the middle changes nothing, and the next one works", async () => {
    const file = makeFile('{"a":1}');
    const config = new ConfigFile(file, null);
    const failing = config.edit(() => {
      throw new Error("no");
    });
    await expect(failing).rejects.toThrow("no");
    await config.edit(addBundle);
    expect(JSON.parse(readFileSync(file, "utf8"))).toEqual({ a: 1, bundles: [{ path: "new" }] });
  });
});

test("a configuration that a program gave is kept in memory", async () => {
  const config = new ConfigFile(null, '{"version":"1"}');
  await config.edit(addBundle);
  const { text, isNews } = await config.look();
  expect([JSON.parse(text ?? ""), isNews]).toEqual([{ version: "1", bundles: [{ path: "new" }] }, false]);
});
