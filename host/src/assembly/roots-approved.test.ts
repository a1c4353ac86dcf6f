/** A person's yes is for the folders that were there when it was given: other roots, or a link in the way, and it is no yes any more. */
import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { connectHttp, rootOf, startRooted, type RootedHost, type RootedOptions } from "./roots-place-for-tests.ts";

const RULE = { id: "ask", match: { tools: ["ops__*"] }, effect: "require_approval" };
const HERO = { name: "hero", path: "projects/hero" };
const ASKS: RootedOptions = { roots: { list: [HERO] }, settings: { policy: { rules: [RULE] } } };
const ARGS = { path: "workspace://assets/a.usd" };

const ask = ({ host, agent }: RootedHost, headers: object = {}): Promise<{ status: number; json: any }> =>
  host.rest(
    "POST",
    "/v1/tools/call",
    { name: "ops__open", arguments: ARGS },
    { authorization: `Bearer ${agent}`, ...headers },
  );
const approve = async ({ host }: RootedHost, id: string): Promise<number> =>
  (await host.rest("POST", `/v1/approvals/${id}`, { decision: "approve" })).status;
const pending = async (rooted: RootedHost): Promise<string> => {
  const { status, json } = await ask(rooted);
  expect(status).toBe(202);
  return String(json.approvalId);
};
const pendingIds = async ({ host }: RootedHost): Promise<string[]> => {
  const { json } = await host.rest("GET", "/v1/approvals?state=pending");
  return (json.approvals as { id: string }[]).map(({ id }) => id);
};
/** Asks, and waits for a person. */
const waiting = async (rooted: RootedHost): Promise<{ id: string; answer: ReturnType<typeof ask> }> => {
  const answer = ask(rooted, { prefer: "wait=20" });
  await expect.poll(() => pendingIds(rooted)).toHaveLength(1);
  const [id = ""] = await pendingIds(rooted);
  return { id, answer };
};
const swap = ({ place }: RootedHost): void => {
  rmSync(join(place.hero, "assets"), { recursive: true });
  symlinkSync("/etc", join(place.hero, "assets"));
};

it("a yes is used where nothing changed, and shows the path as it was given", async () => {
  const rooted = await startRooted(ASKS);
  const id = await pending(rooted);
  const { json } = await rooted.host.rest("GET", `/v1/approvals/${id}`);
  expect(json.arguments).toEqual(ARGS);
  expect(JSON.stringify(json)).not.toContain(rooted.place.hero);
  expect(await approve(rooted, id)).toBe(200);
  expect((await ask(rooted)).status).toBe(200);
  expect(rooted.place.lines()[0]).toContain(join(rooted.place.hero, "assets/a.usd"));
});

it.each([
  ["another folder under the same name", { list: [{ ...HERO, path: "projects" }] }],
  ["one more root", { list: [HERO, { name: "renders", path: "projects/My Renders" }] }],
  ["another profile", { list: [HERO], profile: "permissive" }],
])("a yes is none for %s: the call asks anew, and nothing is sent", async (_, roots) => {
  const rooted = await startRooted(ASKS);
  const id = await pending(rooted);
  expect(await approve(rooted, id)).toBe(200);
  rooted.place.write({ ...ASKS, roots });
  await rooted.host.bundles.reload();
  expect(await pending(rooted)).not.toBe(id);
  expect(rooted.place.lines()).toEqual([]);
});

it("a yes for a path is none once there are no roots", async () => {
  const rooted = await startRooted(ASKS);
  expect(await approve(rooted, await pending(rooted))).toBe(200);
  rooted.place.write({ ...ASKS, roots: { list: [] } });
  await rooted.host.bundles.reload();
  expect(await ask(rooted)).toMatchObject({ status: 422, json: { error: "no_workspace_roots" } });
  expect(rooted.place.lines()).toEqual([]);
});

it("roots that change while a person is asked: the call that waits asks anew, for the folders that there are now", async () => {
  const rooted = await startRooted(ASKS);
  const { id, answer } = await waiting(rooted);
  rooted.place.write({ ...ASKS, roots: { list: [{ ...HERO, path: "projects/My Renders" }] } });
  await rooted.host.bundles.reload();
  await approve(rooted, id);
  await expect.poll(() => pendingIds(rooted)).toEqual([expect.not.stringMatching(id)]);
  expect(rooted.place.lines()).toEqual([]);
  const [second = ""] = await pendingIds(rooted);
  expect(await approve(rooted, second)).toBe(200);
  expect((await answer).json.structuredContent.path).toBe(join(rooted.place.renders, "assets/a.usd"));
  expect(rooted.place.lines()).toHaveLength(1);
});

it("a folder that becomes a link while a person is asked: nothing is sent, and the caller hears why", async () => {
  const rooted = await startRooted(ASKS);
  const { id, answer } = await waiting(rooted);
  swap(rooted);
  expect(await approve(rooted, id)).toBe(200);
  expect(await answer).toMatchObject({ status: 422, json: { error: "path_outside_roots" } });
  expect(rooted.place.lines()).toEqual([]);
  expect(JSON.stringify(rooted.place.events())).not.toContain("/etc/a.usd");
});

it("a folder that becomes a link after the yes: nothing is sent, and the yes holds again once it is back", async () => {
  const rooted = await startRooted(ASKS);
  expect(await approve(rooted, await pending(rooted))).toBe(200);
  swap(rooted);
  expect(await ask(rooted)).toMatchObject({ status: 422, json: { error: "path_outside_roots" } });
  expect(rooted.place.lines()).toEqual([]);
  rmSync(join(rooted.place.hero, "assets"));
  mkdirSync(join(rooted.place.hero, "assets"));
  expect((await ask(rooted)).status).toBe(200);
});

it("a yes for a client with one root is none for the same caller with another", async () => {
  const rooted = await startRooted({
    ...ASKS,
    roots: { list: [HERO, { name: "renders", path: "projects/My Renders" }] },
  });
  const { place, host } = rooted;
  const own = { ...rooted, host: { ...host, key: rooted.agent } };
  const sdk = await connectHttp(own, rootOf(place.hero));
  const refusal = async (): Promise<any> => (await sdk.call("ops__open", ARGS))._meta["dev.bailiwick/refusal"];
  const { kind, details } = await refusal();
  expect(kind).toBe("approval_pending");
  expect(await approve(rooted, details.approval_id)).toBe(200);
  sdk.listed = [rootOf(place.renders)];
  await sdk.client.sendRootsListChanged();
  expect((await refusal()).details.approval_id).not.toBe(details.approval_id);
  sdk.listed = [rootOf(place.hero)];
  await sdk.client.sendRootsListChanged();
  expect((await sdk.call("ops__open", ARGS)).structuredContent.path).toBe(join(place.hero, ARGS.path.slice(12)));
  expect(place.lines()).toHaveLength(1);
});

it("a root that its client withdraws while a person is asked: the yes is none, and the call asks anew", async () => {
  const list = [{ name: "renders", path: "projects/My Renders" }, HERO];
  const rooted = await startRooted({
    roots: { list },
    settings: { ...ASKS.settings, approvals: { waitSeconds: 20 } },
  });
  const { place, host } = rooted;
  const sdk = await connectHttp({ host: { ...host, key: rooted.agent } }, rootOf(place.hero));
  const answer = sdk.call("ops__open", ARGS);
  await expect.poll(() => pendingIds(rooted)).toHaveLength(1);
  const [id = ""] = await pendingIds(rooted);
  sdk.listed = [];
  await sdk.client.sendRootsListChanged();
  await expect.poll(() => sdk.asked).toBe(2);
  expect(await approve(rooted, id)).toBe(200);
  await expect.poll(() => pendingIds(rooted)).toEqual([expect.not.stringMatching(id)]);
  expect(place.lines()).toEqual([]);
  const [second = ""] = await pendingIds(rooted);
  expect(await approve(rooted, second)).toBe(200);
  expect((await answer).structuredContent.path).toBe(join(place.renders, "assets/a.usd"));
});
