import { mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryDir } from "../storage/storage-for-tests.ts";
import { openPlugins, plugin, type PluginPlace } from "./plugins-for-tests.ts";

const NAMES = ["one", "two", "three"].map((type) => `${type}.generator.mjs`) as [string, string, string];
const write = ({ write: writeFile }: PluginPlace, name: string, text: string): string =>
  writeFile(name, plugin(name.split(".")[0]!, `return "${text}";`));
const told = ({ changes }: PluginPlace): string[] => changes.map(({ what, type }) => `${what} ${type}`);

const openOnce = async (workDir: string, before: (place: PluginPlace) => void): Promise<PluginPlace> => {
  const place = openPlugins({ workDir });
  before(place);
  await place.plugins.look();
  await place.plugins.close();
  return place;
};

describe("what happened to plug-in files while the host was stopped", () => {
  test("is recorded at the next start, and what is as it was is not", async () => {
    const workDir = temporaryDir();
    const first = await openOnce(workDir, (place) => NAMES.forEach((name) => write(place, name, "1")));
    expect(told(first).toSorted()).toEqual(["added one", "added three", "added two"]);
    const second = await openOnce(workDir, (place) => {
      utimesSync(write(place, NAMES[0], "1"), 1, 1);
      write(place, NAMES[1], "2");
      place.remove(NAMES[2]);
    });
    expect(told(second).toSorted()).toEqual(["changed two", "removed three"]);
    const old = first.changes.find(({ type }) => type === "three");
    expect(second.changes.find(({ type }) => type === "three")).toEqual({ ...old, what: "removed" });
    expect(told(await openOnce(workDir, () => {}))).toEqual([]);
  });

  test("is told again where it was not noted that it was, and never lost", async () => {
    const workDir = temporaryDir();
    const note = join(workDir, "data", "recorded.json");
    await openOnce(workDir, (place) => write(place, NAMES[0], "1"));
    for (const text of ["", "no JSON", "[]", "null", '{"plugins/generators/one.generator.mjs":7}']) {
      writeFileSync(note, text);
      expect(told(await openOnce(workDir, () => {}))).toEqual(["added one"]);
    }
    expect(Object.keys(JSON.parse(readFileSync(note, "utf8")) as object)).toEqual([`plugins/generators/${NAMES[0]}`]);
    rmSync(note);
    mkdirSync(note);
    const place = await openOnce(workDir, () => {});
    expect(told(place)).toEqual(["added one"]);
    expect(place.lines.join()).toContain("could not be noted");
  });
});
