/** Whoever listens is told when the tools of a package are others: sessions, listeners and pipes, at the endpoint of all and its own. */
import { rmSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { until } from "../bundles/bundles-for-tests.ts";
import { openListeners } from "./gated-listeners-for-tests.ts";
import { makePackagesPlace, stateOf } from "./packages-place-for-tests.ts";
import type { WholeHost } from "./whole-host-for-tests.ts";

const TOOLS = "tools: [{name: say, group: loud}]\ngroups: [{name: loud, tools: [say]}]\n";
const ON = { capabilities: { groups: { maya: ["loud"] } } };

const say = (host: WholeHost) => host.rest("POST", "/v1/tools/call", { name: "maya__say", arguments: {} });

it("when a group is switched on, a script is changed, the change is accepted, and the folder is gone", async () => {
  const place = makePackagesPlace();
  place.put("maya", { "tools.yaml": TOOLS, "scripts/say.sh": "echo 1" });
  const host = await place.start();
  const listeners = await openListeners(host);

  place.configure(ON);
  await listeners.heard(() => host.rest("POST", "/v1/reload", {}));
  expect((await say(host)).json).toMatchObject({ structuredContent: { result: 1 } });

  writeFileSync(place.at("maya", "scripts/say.sh"), "echo 2");
  expect((await listeners.heard(() => say(host))).json).toMatchObject({ error: "definition_changed" });

  const { digest } = await stateOf(host, "maya");
  const taken = await listeners.heard(() => host.rest("POST", "/v1/skills/maya/accept", { digest }));
  expect(taken.status).toBe(200);
  expect((await say(host)).json).toMatchObject({ structuredContent: { result: 2 } });

  rmSync(place.at("maya"), { recursive: true });
  await until(() => host.stateOf("maya") === null);
  expect((await say(host)).status).toBe(404);
  expect(listeners.other.told()).toBe(0);
});
