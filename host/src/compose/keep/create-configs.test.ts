import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { artifactConfig, contentConfig, patternConfig } from "../configs/configs-for-tests.ts";
import { openBench, pluginEntry } from "./bench-for-tests.ts";

const withCode = (code: string, details: object = {}) =>
  expect.objectContaining({ code, details: expect.objectContaining(details) });

describe("a saved config", () => {
  it("is read with what is told about it", async () => {
    const { bench, save } = openBench();
    await save("content", "letter", contentConfig({ state: 1 }));
    const { config, saved, reading } = await bench.configs.content("letter");
    expect(config).toEqual(contentConfig({ state: 1 }));
    expect(saved.path).toBe("configs/content/letter/letter-content.json");
    expect(reading.warnings.map(({ pointer }) => pointer)).toEqual(["/state"]);
  });

  it("has the id of its file, whatever stands in it", async () => {
    const { bench, save, root } = openBench();
    await save("content", "copy", contentConfig());
    writeFileSync(join(root, "configs/content/copy/copy-content.json"), JSON.stringify(contentConfig()));
    const { config, reading } = await bench.configs.content("copy");
    expect(config.id).toBe("copy");
    expect(reading.warnings.map(({ pointer }) => pointer)).toEqual(["/id"]);
  });

  it("that is not there is told with the nearest ones", async () => {
    const { bench, save } = openBench();
    await expect(bench.configs.content("letter")).rejects.toThrow(
      withCode("config_not_found", { next: "Draft one with draft_config, and save it with save_config." }),
    );
    for (const id of ["letter", "latter", "battery"]) await save("content", id, contentConfig());
    await expect(bench.configs.content("lettre")).rejects.toThrow(
      withCode("config_not_found", { nearest: ["letter", "latter"], next: 'Make the same call with the id "letter".' }),
    );
    await expect(bench.configs.content("something-else")).rejects.toThrow(
      withCode("config_not_found", { nearest: [], next: "list_content {}" }),
    );
    await expect(bench.configs.artifact("letter")).rejects.toThrow(
      withCode("config_not_found", { next: 'generate_content {"content_config_id":"letter"}' }),
    );
  });

  it("that is not there is told without reading those that are", async () => {
    const { bench, save, root } = openBench();
    await save("content", "letter", contentConfig());
    const file = join(root, "configs/content/letter/letter-content.json");
    rmSync(file);
    mkdirSync(file);
    await expect(bench.configs.content("lettre")).rejects.toThrow(
      withCode("config_not_found", { nearest: ["letter"] }),
    );
  });

  it("that is not valid is told with all that is wrong, by one code for each type", async () => {
    const { bench, save, root } = openBench();
    await save("content", "letter", { ...contentConfig(), elements: [], metadata: {} });
    await expect(bench.configs.content("letter")).rejects.toThrow(
      withCode("generation_failed", {
        violations: [
          expect.objectContaining({ pointer: "/metadata/description" }),
          expect.objectContaining({ pointer: "/metadata/version" }),
          expect.objectContaining({ pointer: "/elements" }),
        ],
      }),
    );
    await save("artifact", "book", artifactConfig([]));
    await expect(bench.configs.artifact("book")).rejects.toThrow(withCode("assembly_failed"));
    const path = "configs/artifacts/book-artifact.json";
    writeFileSync(join(root, path), "{");
    await expect(bench.configs.artifact("book")).rejects.toThrow(
      withCode("assembly_failed", { next: `Mend ${path} in the first root.` }),
    );
  });

  it.each(["..", "", "a/b", "draft-20260101T000000-00000a"])("is not %j", async (id) => {
    const { configs } = openBench().bench;
    await expect(configs.content(id)).rejects.toThrow(withCode("invalid_config_id"));
    await expect(configs.artifact(id)).rejects.toThrow(withCode("invalid_config_id"));
  });

  it("is checked for the generators that there are", async () => {
    const config = patternConfig({ type: "mine" });
    expect((await openBench().bench.configs.check("content", config)).warnings).toHaveLength(1);
    expect((await openBench([pluginEntry("mine")]).bench.configs.check("content", config)).warnings).toEqual([]);
  });
});
