/** What a whole host does with plug-in generators beside running them: what they print, what is recorded, what they lack. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { plugin } from "../compose/plugins/plugins-for-tests.ts";
import { configs, openView, saveConfigs, UNASKED } from "./compose-view-for-tests.ts";
import { makePlace, type Place } from "./whole-host-for-tests.ts";

const NAME = "BAILIWICK_TEST_KEY";

const makePluginPlace = (): { place: Place; write: (type: string, text: string) => void } => {
  const place = makePlace();
  place.configure(UNASKED);
  const folder = join(place.workDir, "plugins/generators");
  mkdirSync(folder, { recursive: true });
  return { place, write: (type, text) => writeFileSync(join(folder, `${type}.generator.mjs`), text) };
};

const recorded = (place: Place): string[] =>
  place.evidence("generator_changed").map(({ payload }) => `${payload["what"]} ${payload["type"]}`);

test("what a plug-in prints is kept for who asks, and is no bug of the host", async () => {
  const { place, write } = makePluginPlace();
  write("loud", `console.error("careful");\n${plugin("loud", 'return "";')}`);
  const host = await place.start();
  await (await openView(host)).read("capabilities://generators");
  await vi.waitFor(async () => {
    const { json } = await host.rest("GET", "/v1/apps/compose/logs");
    expect(json).toEqual({ lines: ["plugins/generators/loud.generator.mjs: careful"] });
  });
});

test("a plug-in is recorded when it is other than at the last start, and not at each", async () => {
  const { place, write } = makePluginPlace();
  write("same", plugin("same", 'return "1";'));
  write("other", plugin("other", 'return "1";'));
  const look = async (): Promise<void> => {
    const host = await place.start();
    await (await openView(host)).read("capabilities://generators");
    await host.stop();
  };
  await look();
  expect(recorded(place).toSorted()).toEqual(["added other", "added same"]);
  write("other", plugin("other", 'return "2";'));
  await look();
  expect(recorded(place).slice(2)).toEqual(["changed other"]);
  await look();
  expect(recorded(place)).toHaveLength(3);
});

test("a credential that is set and not granted is told apart from one that is not set", async () => {
  const { place, write } = makePluginPlace();
  place.configure({ ...UNASKED, capabilities: { env: { compose: [`${NAME}_UNSET`] } } });
  vi.stubEnv(NAME, "hunter2-of-the-test");
  for (const [type, name] of [
    ["ungranted", NAME],
    ["unset", `${NAME}_UNSET`],
  ] as const) {
    write(type, plugin(type, 'return "";', `upstream_dependencies: { credentials_required: ["${name}"] },`));
  }
  const view = await openView(await place.start());
  await saveConfigs(
    view,
    configs.content("ungranted", { type: "ungranted" }),
    configs.content("unset", { type: "unset" }),
  );
  const call = async (id: string) =>
    (await view.call("compose__generate_content", { content_config_id: id }))["error"] as Record<string, unknown>;
  expect(await call("ungranted")).toMatchObject({
    message: `Missing credential: ${NAME}`,
    details: {
      next: expect.stringMatching(/^Add BAILIWICK_TEST_KEY to capabilities\.env\.compose in bailiwick\.json, reload/),
    },
  });
  expect(await call("unset")).toMatchObject({
    message: `Missing credential: ${NAME}_UNSET`,
    details: {
      next: expect.stringMatching(/^Set BAILIWICK_TEST_KEY_UNSET in the environment of the host and start it/),
    },
  });
});
