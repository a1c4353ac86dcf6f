import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { EMPTY_CATALOGUE } from "../kernel/provider.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { makeWorkDir } from "./bundles-for-tests.ts";
import { DefinitionsFile } from "./definitions-file.ts";

const KNOWN = { catalogue: EMPTY_CATALOGUE, version: "1" };

describe("the mark of a provider that asks", () => {
  it("is kept with its definitions, over boots and further listings", async () => {
    const options = { file: join(makeWorkDir(), "p.json"), source: "path:/p" };
    const first = new DefinitionsFile(options);
    await first.save(KNOWN);
    expect(first.asks).toBe(false);
    await first.markAsks();
    expect(first.asks).toBe(true);
    await first.save({ ...KNOWN, version: "2" });
    const second = new DefinitionsFile(options);
    expect(await second.read()).toMatchObject({ version: "2" });
    expect(second.asks).toBe(true);
    await second.save({ ...KNOWN, version: "3" });
    const third = new DefinitionsFile(options);
    await third.read();
    expect(third.asks).toBe(true);
  });

  it("waits for the first listing when nothing is known yet", async () => {
    const options = { file: join(makeWorkDir(), "p.json"), source: "path:/p" };
    const first = new DefinitionsFile(options);
    await first.markAsks();
    expect(await new DefinitionsFile(options).read()).toBeNull();
    await first.save(KNOWN);
    const second = new DefinitionsFile(options);
    await second.read();
    expect(second.asks).toBe(true);
  });

  it("does not pass to another source, nor come from a file that is none", async () => {
    const file = join(makeWorkDir(), "p.json");
    const first = new DefinitionsFile({ file, source: "path:/p" });
    await first.save(KNOWN);
    await first.markAsks();
    const other = new DefinitionsFile({ file, source: "path:/q" });
    expect(await other.read()).toBeNull();
    expect(other.asks).toBe(false);
    writeFileSync(file, '{"asks":true}');
    const broken = new DefinitionsFile({ file, source: "path:/p" });
    expect(await broken.read()).toBeNull();
    expect(broken.asks).toBe(false);
  });
});

test("of a bundle whose resources are each principal's own, none is kept, nor read from an older file", async () => {
  const options = { file: join(makeWorkDir(), "p.json"), source: "url:p" };
  const json = rawJson('{"uri":"doc://ann","name":"ann"}');
  const resources = [{ uri: "doc://ann", json, value: {} }];
  const known = { catalogue: { ...EMPTY_CATALOGUE, completions: true, resources }, version: "1" };
  await new DefinitionsFile(options).save(known);
  const isolated = new DefinitionsFile({ ...options, isolated: true });
  expect(await isolated.read()).toMatchObject({ catalogue: { completions: true, resources: [] } });
  await isolated.save({ ...known, version: "2" });
  expect(await new DefinitionsFile(options).read()).toMatchObject({ version: "2", catalogue: { resources: [] } });
});
