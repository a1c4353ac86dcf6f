/** Two callers of one host who use the same correlation: neither loses their evidence to the other. */
import { afterAll, beforeAll, expect, it } from "vitest";
import type { Json } from "../kernel/chp-client-for-tests.ts";
import { verifyEvidence } from "../storage/verify-evidence.ts";
import { openChpPlace, type ChpPlace } from "./chp-place-for-tests.ts";

const ID = "shared";
let place: ChpPlace;
beforeAll(async () => {
  const auth = { chpKeys: ["ann:ak", "eve:ek"], principals: { "service:ann": {}, "service:eve": {} } };
  place = await openChpPlace({ config: { auth } });
  await call("ann:ak", "conformance.echo");
  await call("eve:ek", "conformance.risky");
  await call("ann:ak", "conformance.echo");
});
afterAll(() => place.close());

const ask = (path: string, key: string, init: RequestInit = {}): Promise<Response> =>
  fetch(`${place.own.origin}${path}`, { ...init, headers: { "x-chp-key": key } });

const jsonOf = async (response: Response): Promise<Json> => JSON.parse(await response.text()) as Json;

const call = async (key: string, capability_id: string): Promise<Json> => {
  const body = JSON.stringify({ capability_id, correlation_id: ID });
  return jsonOf(await ask("/invoke", key, { method: "POST", body }));
};

const get = async (path: string, key: string): Promise<Json> => jsonOf(await ask(path, key));

it("both have it verified, and count their own", async () => {
  expect(await get(`/verify/${ID}`, "ann:ak")).toMatchObject({ valid: true, event_count: 4 });
  expect(await get(`/verify/${ID}`, "eve:ek")).toMatchObject({ valid: true, event_count: 1 });
  expect((await ask(`/head/inclusion/${ID}`, "eve:ek")).status).toBe(200);
});

it("who began it takes the whole of it along, and it verifies", async () => {
  const text = await (await ask(`/export/${ID}`, "ann:ak")).text();
  expect(verifyEvidence(text.split("\n"))).toMatchObject({ valid: true, tier: "signed", count: 5, withheld: 1 });
});

it("who did not begin it hears why not, and sees its own by replay", async () => {
  const said = await ask(`/export/${ID}`, "eve:ek");
  expect(said.status).toBe(403);
  expect(await jsonOf(said)).toMatchObject({ error: { code: "permission_missing" } });
  expect(await get(`/replay/${ID}`, "eve:ek")).toMatchObject({ event_count: 1 });
});

it("the ids of the host's own records are not to be had", async () => {
  for (const id of ["host-identity-conformance-host", "host-policy-conformance-host"]) {
    const body = JSON.stringify({ capability_id: "conformance.echo", correlation_id: id });
    expect((await ask("/invoke", "eve:ek", { method: "POST", body })).status).toBe(400);
  }
});
