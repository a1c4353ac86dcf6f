import { describe, expect, test } from "vitest";
import { isAlive, openPlugins, plugin, until, type PluginPlace } from "./plugins-for-tests.ts";

const open = (body: string): PluginPlace => {
  const place = openPlugins();
  place.write("crowd.generator.mjs", plugin("crowd", `const { how } = context; console.log("begun " + how); ${body}`));
  return place;
};
const failure = (made: Promise<unknown>): Promise<unknown> =>
  made.then(
    () => "nothing failed",
    (error: unknown) => error,
  );
const LATER = 'await new Promise((resolve) => setTimeout(resolve, 300)); return "made " + how;';
const beside = async ({ generate, lines }: PluginPlace): Promise<Promise<string>[]> => {
  const made = ["a", "b"].map(async (how) => (await generate("crowd", { context: { how } })).text);
  await until(() => ["begun a", "begun b"].every((line) => lines.join().includes(line)));
  return made;
};

describe("one generation", () => {
  test("that takes the process with it fails alone: those beside it are made by processes of their own", async () => {
    const place = open(`if (how === "dies") process.kill(process.pid, "SIGKILL"); ${LATER}`);
    const others = await beside(place);
    const dies = failure(place.generate("crowd", { context: { how: "dies" } }));
    expect(await Promise.all(others)).toEqual(["made a", "made b"]);
    expect(await dies).toMatchObject({ code: "generation_failed", message: expect.stringContaining("SIGKILL") });
    // The first, and one for each of the three that had begun: which of them it was nobody could know.
    expect(place.pids).toHaveLength(4);
    await until(() => place.pids.every((pid) => !isAlive(pid)));
  });

  test("that never ends fails alone", async () => {
    const place = open(`if (how === "loops") for (;;); ${LATER}`);
    const others = await beside(place);
    const loops = failure(place.generate("crowd", { context: { how: "loops" }, timeoutMs: 500 }));
    expect(await loops).toMatchObject({ code: "generation_timeout" });
    expect(await Promise.all(others)).toEqual(["made a", "made b"]);
  });

  test.each([
    ["before its own is over", 1_500, 400],
    ["when its own is over as well", 400, 1_500],
  ])("that holds up another beyond its time %s is not that one's fault", async (_, time, timeOfLoop) => {
    const place = open(`if (how === "loops") for (;;); ${LATER}`);
    const made = place.generate("crowd", { context: { how: "a" }, timeoutMs: time });
    await until(() => place.lines.join().includes("begun a"));
    const loops = failure(place.generate("crowd", { context: { how: "loops" }, timeoutMs: timeOfLoop }));
    expect((await made).text).toBe("made a");
    expect(await loops).toMatchObject({ code: "generation_timeout", details: { timeout_ms: timeOfLoop } });
  });

  test("that takes every process with it is tried twice, and no more", async () => {
    const place = open(`await new Promise((resolve) => setTimeout(resolve, 100)); process.abort();`);
    const made = await Promise.all(["a", "b"].map((how) => failure(place.generate("crowd", { context: { how } }))));
    for (const each of made) expect(each).toMatchObject({ message: expect.stringContaining("SIGABRT") });
    expect(place.pids).toHaveLength(3);
  });
});
