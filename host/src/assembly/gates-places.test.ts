/** Where what is declared is kept, and for whom it counts: every workspace of the host, with a file of its own or none. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { makeGatedPlace, declare, IMPORT, MISSING, DECLARED, startGated, tool } from "./gated-host-for-tests.ts";
import { createHost } from "./open-host.ts";
import type { WholeHost } from "./whole-host-for-tests.ts";

const CALL = { name: "maya__needy", arguments: {} };

const errorOf = async (host: WholeHost, headers: Record<string, string>): Promise<unknown> => {
  const { status, json } = await host.rest("POST", "/v1/tools/call", CALL, headers);
  return status === 200 ? null : json.error;
};

it("a workspace has what the host declares and cannot declare more for itself", async () => {
  const place = makeGatedPlace({ tools: [tool("needy", ["x"])], settings: { capabilities: {} } });
  const file = join(place.workDir, "workspaces", "ws_lab", "workspace.json");
  mkdirSync(dirname(file), { recursive: true });
  const { bundles } = place.configured();
  const capabilities = { declared: ["x"], providers: { maya: ["x"] } };
  writeFileSync(file, JSON.stringify({ members: ["person:ann"], bundles, noDefaultBundles: true, capabilities }));
  const host = await startGated(place);
  const { secret } = await host.keys.create({ name: "ann", as: "person:ann", workspace: "ws_lab" });
  const ann = { authorization: `Bearer ${secret}` };
  await expect.poll(() => errorOf(host, ann), { timeout: 15_000 }).toBe("capability_missing");
  await declare(host, "x");
  expect([await errorOf(host, ann), await errorOf(host, {})]).toEqual([null, null]);
  await declare(host);
  expect([await errorOf(host, ann), await errorOf(host, {})]).toEqual(["capability_missing", "capability_missing"]);
}, 30_000);

it("a host without a file takes a change over and says that it is not written down", async () => {
  const place = makeGatedPlace();
  const { bundles, workDir: _, ...config } = place.configured();
  const path = String(bundles[0]?.["path"]);
  const host = await createHost({ ...config, workDir: place.workDir, bundles: [{ path }] });
  onTestFinished(() => host.stop());
  await host.start();
  expect(await host.capabilities.declare([...DECLARED, MISSING])).toEqual({
    before: DECLARED,
    after: [...DECLARED, MISSING],
    persisted: false,
  });
  await expect.poll(async () => (await host.call(`maya__${IMPORT["name"]}`, {})).outcome).toBe("success");
  expect(place.changes()).toHaveLength(1);
});

it("a change is written into the file, and whatever else it says stays", async () => {
  const capabilities = { declared: ["usd"], require: { maya__free: ["usd"] }, roots: { profile: "strict" } };
  const place = makeGatedPlace({ settings: { capabilities } });
  const before = place.configured();
  const host = await startGated(place);
  expect(await declare(host, "x", "usd")).toEqual({ before: ["usd"], after: ["x", "usd"], persisted: true });
  expect(place.configured()).toEqual({ ...before, capabilities: { ...capabilities, declared: ["x", "usd"] } });
});

it("people and an edited file that change it at once leave records of which each begins where the last one ended", async () => {
  const place = makeGatedPlace({ tools: [tool("needy", ["x"])] });
  const host = await startGated(place);
  for (let n = 0; n < 10; n++) {
    place.settle({ capabilities: { declared: [`file${n}`], require: { maya__needy: [`op${n}`] } } });
    await Promise.all([declare(host, `put${n}`), host.bundles.reload(), declare(host, `again${n}`)]);
  }
  // The host takes its file over once more by itself; after this it is what the file says.
  await host.bundles.reload();
  const changes = place.changes();
  expect(changes.map(({ before }) => before)).toEqual([DECLARED, ...changes.slice(0, -1).map(({ after }) => after)]);
  const declared = changes.at(-1)?.["after"] as string[];
  expect((await host.capabilities.list()).declared).toEqual(declared);
  expect(place.configured()["capabilities"]).toMatchObject({ declared });
  const { json } = await host.rest("POST", "/v1/tools/call", CALL);
  expect(json.data).toMatchObject({ declared, required: ["x", "op9"], missing: ["x", "op9"] });
});
