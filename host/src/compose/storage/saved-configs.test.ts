import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { artifactConfig, contentConfig } from "../configs/configs-for-tests.ts";
import { listBelow, readBelow, writeBelow } from "./rooted-files.ts";
import { SavedConfigs } from "./saved-configs.ts";
import { temporaryDir } from "./storage-for-tests.ts";

const asData = (config: object): Readonly<Record<string, unknown>> => ({ ...config });
const content = { type: "content", data: asData(contentConfig()), overwrite: false } as const;
const artifact = { type: "artifact", data: asData(artifactConfig([{ id: "a" }])), overwrite: false } as const;

describe("a config", () => {
  it("is found where it was saved, under the id it was saved under", async () => {
    const root = temporaryDir();
    const configs = new SavedConfigs(() => root);
    expect(await configs.save({ ...content, id: "letter" })).toEqual({
      path: "configs/content/letter/letter-content.json",
      backup: null,
      idRewritten: false,
    });
    expect(await configs.save({ ...artifact, id: "other" })).toEqual({
      path: "configs/artifacts/other-artifact.json",
      backup: null,
      idRewritten: true,
    });
    expect((await configs.find("content", "letter"))?.data).toEqual(contentConfig());
    const saved = (await configs.find("artifact", "other"))!;
    expect(saved.data).toEqual({ ...artifactConfig([{ id: "a" }]), id: "other" });
    expect(saved.text).toBe(readFileSync(join(root, saved.path), "utf8"));
    expect((await configs.list("content")).map(({ id }) => id)).toEqual(["letter"]);
    expect((await configs.list("artifact")).map(({ id }) => id)).toEqual(["other"]);
  });

  it("is replaced only where that is wanted, and the old one is kept beside it", async () => {
    const root = temporaryDir();
    const configs = new SavedConfigs(() => root);
    const first = await configs.save({ ...content, id: "letter" });
    const old = readFileSync(join(root, first.path), "utf8");
    const changed = { ...content, id: "letter", data: { ...content.data, state: 2 } };
    await expect(configs.save(changed)).rejects.toThrow(
      expect.objectContaining({ code: "save_failed", message: expect.stringContaining("overwrite true") }),
    );
    expect(readFileSync(join(root, first.path), "utf8")).toBe(old);
    const second = await configs.save({ ...changed, overwrite: true });
    expect(second.backup).toBe("configs/content/letter/letter-content.json.backup");
    expect(readFileSync(join(root, second.backup ?? ""), "utf8")).toBe(old);
    expect((await configs.find("content", "letter"))?.data).toMatchObject({ state: 2 });
    expect(readdirSync(join(root, "configs/content/letter"))).toHaveLength(2);
  });

  it("is saved by one of those who save it at once", async () => {
    const root = temporaryDir();
    const stores = [new SavedConfigs(() => root), new SavedConfigs(() => root)];
    const ends = await Promise.allSettled(
      Array.from({ length: 8 }, (_, i) =>
        stores[i % 2]!.save({ ...content, id: "letter", data: { ...content.data, state: i } }),
      ),
    );
    expect(ends.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(readdirSync(join(root, "configs/content/letter"))).toEqual(["letter-content.json"]);
  });

  it.each(["..", "../x", "a/b", "", "A", "a\0"])("has no id like %j, in no place", async (id) => {
    const root = temporaryDir();
    const configs = new SavedConfigs(() => root);
    await expect(configs.save({ ...content, id })).rejects.toThrow(expect.objectContaining({ code: "save_failed" }));
    await expect(configs.find("content", id)).rejects.toThrow(expect.objectContaining({ code: "invalid_config_id" }));
    await expect(configs.find("artifact", id)).rejects.toThrow(expect.objectContaining({ code: "invalid_config_id" }));
    expect(readdirSync(root)).toEqual([]);
  });

  it("that is broken is listed with what is wrong with it, and keeps no other from being listed", async () => {
    const root = temporaryDir();
    const configs = new SavedConfigs(() => root);
    await configs.save({ ...content, id: "good" });
    for (const [id, text] of [
      ["broken", "{"],
      ["other", '{"type":"artifact"}'],
      ["bare", '{"type":"content"}'],
    ] as const) {
      const path = join(root, `configs/content/${id}/${id}-content.json`);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
    mkdirSync(join(root, "configs/content/empty"));
    const rows = await configs.list("content");
    expect(rows.map(({ id, fault }) => [id, fault])).toEqual([
      ["bare", null],
      ["broken", expect.stringContaining("no JSON")],
      ["good", null],
      ["other", 'its type is not "content"'],
    ]);
    expect(await configs.find("content", "nobody")).toBeNull();
  });

  it("with an id that is too long for a file is refused, and is not there", async () => {
    const configs = new SavedConfigs(temporaryDir);
    const id = "a".repeat(255);
    await expect(configs.save({ ...content, id })).rejects.toThrow(/too long/);
    expect(await configs.find("content", id)).toBeNull();
  });

  it("needs a root", async () => {
    const configs = new SavedConfigs(() => null);
    expect(await configs.find("content", "letter")).toBeNull();
    expect(await configs.list("content")).toEqual([]);
    await expect(configs.save({ ...content, id: "letter" })).rejects.toThrow(/no configured root/);
  });
});

describe("what lies outside of the root", () => {
  it("is neither read nor written through a link, wherever the link is", async () => {
    const [root, outside] = [temporaryDir(), temporaryDir()];
    const configs = new SavedConfigs(() => root);
    const place = "configs/content/letter/letter-content.json";
    await new SavedConfigs(() => outside).save({ ...content, id: "letter" });
    const before = readFileSync(join(outside, place), "utf8");
    for (const linked of [place, dirname(place), "configs/content", "configs"]) {
      mkdirSync(dirname(join(root, linked)), { recursive: true });
      symlinkSync(join(outside, linked), join(root, linked));
      expect(await configs.find("content", "letter")).toBeNull();
      const save = configs.save({
        ...content,
        id: "letter",
        data: { ...content.data, state: "changed" },
        overwrite: true,
      });
      const end = await save.catch((error: unknown) => error);
      // A link in the place of the file itself is replaced; the file that it led to is not.
      if (linked === place) expect(end).toMatchObject({ path: place });
      else expect(end).toMatchObject({ code: "save_failed" });
      expect(readFileSync(join(outside, place), "utf8")).toBe(before);
      expect(existsSync(join(outside, `${place}.backup`))).toBe(false);
      rmSync(join(root, "configs"), { recursive: true });
    }
  });

  it.each(["../x", "a/../x", "/etc/passwd", "a//b", ".", "", "a\\b", "a\0b"])("has no path: %j", async (path) => {
    const root = temporaryDir();
    const bug = expect.objectContaining({ name: "HostError" });
    await expect(readBelow(root, path, 100)).rejects.toThrow(bug);
    await expect(writeBelow(root, path, { text: "x", replace: true })).rejects.toThrow(bug);
    await expect(listBelow(root, path)).rejects.toThrow(bug);
  });

  it("is the only thing that is not written: folders come by themselves", async () => {
    const root = temporaryDir();
    expect(await writeBelow(root, "a/b/c.md", { text: "one", replace: false })).toBe(true);
    expect(await writeBelow(root, "a/b/c.md", { text: "two", replace: false })).toBe(false);
    expect((await readBelow(root, "a/b/c.md", 100))?.text).toBe("one");
    expect(await readBelow(root, "a/b", 100)).toBeNull();
    expect(await readBelow(root, "a/b/c.md/d", 100)).toBeNull();
    await expect(readBelow(root, "a/b/c.md", 2)).rejects.toThrow(/has 3 bytes/);
    expect(await listBelow(root, "a/b")).toEqual(["c.md"]);
    expect(await listBelow(root, "nowhere")).toEqual([]);
  });
});
