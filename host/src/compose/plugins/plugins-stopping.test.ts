import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryDir } from "../storage/storage-for-tests.ts";
import { isAlive, openPlugins, plugin, until, type PluginPlace } from "./plugins-for-tests.ts";

const NAME = "crowd.generator.mjs";
const COUNT = 6;
/** So many have a process of their own at once. */
const LONE = 4;

interface Crowd {
  readonly place: PluginPlace;
  /** The text, or why there is none. */
  readonly made: readonly Promise<string>[];
  /** Lets them finish. */
  readonly go: () => void;
}

/** More generations than may have a process of their own; the one that they shared was lost while all of them ran. */
const loseProcess = async (place: PluginPlace): Promise<Crowd> => {
  const go = join(temporaryDir(), "go");
  const body = `const { existsSync } = await import("node:fs"); console.log("begun");
    while (!existsSync(${JSON.stringify(go)})) await new Promise((resolve) => setTimeout(resolve, 10));
    return "made";`;
  place.write(NAME, plugin("crowd", body));
  const made = Array.from({ length: COUNT }, () =>
    place.generate("crowd").then(
      ({ text }) => text,
      (error: Error) => error.message,
    ),
  );
  await until(() => countBegun(place) === COUNT);
  process.kill(place.pids[0]!, "SIGKILL");
  return { place, made, go: () => writeFileSync(go, "") };
};

const countBegun = ({ lines }: PluginPlace): number => lines.join().split("begun").length - 1;

describe("generations that wait for a process of their own", () => {
  test("when the plug-in changes are given none of the old one", async () => {
    const { place, made, go } = await loseProcess(openPlugins());
    await until(() => countBegun(place) === COUNT + LONE);
    place.write(NAME, plugin("crowd", 'return "new";'));
    await place.plugins.look();
    go();
    const lost = "The plug-in generator crowd failed. Its process ended (SIGKILL).";
    expect((await Promise.all(made)).toSorted()).toEqual([lost, lost, ...Array(LONE).fill("made")]);
    // The one that was lost, those of their own, and the new plug-in's.
    expect(place.pids).toHaveLength(1 + LONE + 1);
    expect((await place.generate("crowd")).text).toBe("new");
  });

  test("when the host stops are given none, and the stop waits for those that were just started", async () => {
    const [held, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const events: string[] = [];
    let starts = 0;
    const starting = async (): Promise<void> => {
      if (++starts === 1) return;
      if (starts === 1 + LONE) held.resolve();
      await released.promise;
      events.push("started");
    };
    const { place, made } = await loseProcess(openPlugins({ starting }));
    await held.promise;
    const closing = place.plugins.close().then(() => events.push("stopped"));
    setTimeout(released.resolve, 100);
    await closing;
    expect(events).toEqual([...Array(LONE).fill("started"), "stopped"]);
    expect(place.pids.map(isAlive)).toEqual(Array(1 + LONE).fill(false));
    for (const each of await Promise.all(made)) expect(each).toContain("The plug-in generator crowd");
    expect(starts).toBe(1 + LONE);
  });
});

describe("a stop of the host", () => {
  test("does not wait for a plug-in that hangs while it is loaded", async () => {
    const { plugins, write, pids, lines, seenCount } = openPlugins({ loadMs: 600_000 });
    write("loops.generator.mjs", 'console.log("begun"); for (;;);');
    write("waits.generator.mjs", 'console.log("begun"); await new Promise(() => {});');
    const looked = plugins.look();
    await until(() => lines.length === 2);
    await plugins.close();
    expect(pids.map(isAlive)).toEqual([false, false]);
    expect(await looked).toEqual({ entries: [], rejected: [] });
    expect(seenCount()).toBe(0);
  });

  test("keeps a plug-in from being started that is just being recorded", async () => {
    const [recording, recorded] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const { plugins, write, pids } = openPlugins({
      changed: () => {
        recording.resolve();
        return recorded.promise;
      },
    });
    write(NAME, plugin("crowd", ""));
    const looked = plugins.look();
    await recording.promise;
    const closing = plugins.close();
    recorded.resolve();
    await Promise.all([looked, closing]);
    expect(pids).toEqual([]);
  });
});
