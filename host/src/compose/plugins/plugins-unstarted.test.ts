import { describe, expect, test } from "vitest";
import { openPlugins, plugin, type PluginPlace } from "./plugins-for-tests.ts";

const write = (place: PluginPlace, type: string, text: string): string =>
  place.write(`${type}.generator.mjs`, plugin(type, `return "${text}";`));

describe("a plug-in that cannot be started for a reason that nobody foresaw", () => {
  const isFaulty = { now: true };
  const open = (): PluginPlace =>
    openPlugins({
      starting: ({ provider }) =>
        isFaulty.now && provider === "generator-faulty" ? Promise.reject(new Error("EMFILE here")) : Promise.resolve(),
    });

  test("is named, its reason is told to the host only, and all others are there", async () => {
    isFaulty.now = true;
    const place = open();
    for (const type of ["a", "b", "faulty", "x", "y", "z"]) write(place, type, type);
    const { entries, rejected } = await place.plugins.look();
    expect(entries.map(({ type }) => type)).toEqual(["a", "b", "x", "y", "z"]);
    expect(rejected).toEqual([
      { plugin_path: "faulty.generator.mjs", reason_code: "load_failed", message: "It could not be started." },
    ]);
    expect(place.lines).toEqual(["plugins/generators/faulty.generator.mjs could not be started: EMFILE here"]);
    expect((await place.generate("z")).text).toBe("z");
  });

  test("keeps no other from its change, and comes back when it can be started", async () => {
    isFaulty.now = false;
    const place = open();
    for (const type of ["a", "faulty"]) write(place, type, "before");
    expect((await place.generate("faulty")).text).toBe("before");
    isFaulty.now = true;
    for (const type of ["a", "faulty"]) write(place, type, "after it changed");
    expect((await place.generate("a")).text).toBe("after it changed");
    await expect(place.generate("faulty")).rejects.toMatchObject({ code: "generator_not_found" });
    isFaulty.now = false;
    write(place, "faulty", "mended");
    expect((await place.generate("faulty")).text).toBe("mended");
  });
});
