/**
 * What the host declares changes while it runs: by a person, by the terminal and by an edited file. Everybody is told, each
 * change is a record, what runs ends as it began, and what waits for a person is taken back.
 */
import { describe, expect, it } from "vitest";
import { until } from "../bundles/bundles-for-tests.ts";
import { openSession } from "../transport/client-for-tests.ts";
import { runCli } from "./gated-doors-for-tests.ts";
import { declare, DECLARED, FREE, makeGatedPlace, startGated, tool, type GatedPlace } from "./gated-host-for-tests.ts";
import { openListeners } from "./gated-listeners-for-tests.ts";
import type { WholeHost } from "./whole-host-for-tests.ts";

const ASK = { rules: [{ id: "ask", match: { tools: ["maya__asked"] }, effect: "require_approval" }] };
const TOOLS = [tool("needy", ["x"]), tool("slow", ["x"]), tool("asked", ["x"]), FREE];
const settings = { policy: ASK, capabilities: { declared: ["x"] } };

const verdictOf = async (host: WholeHost, name: string): Promise<string> => {
  const { ending } = await host.call(`maya__${name}`, {});
  return ending.kind === "refusal" ? ending.refusal.kind : ending.kind;
};

interface Way {
  readonly by: string;
  readonly change: (place: GatedPlace, host: WholeHost, declared: readonly string[]) => Promise<unknown>;
}

const WAYS: readonly (readonly [string, Way])[] = [
  ["PUT /v1/host/capabilities", { by: "person:owner", change: (_, host, declared) => declare(host, ...declared) }],
  ["a program", { by: "person:owner", change: (_, host, declared) => host.capabilities.declare(declared) }],
  [
    "the terminal",
    {
      by: "person:owner",
      change: async (place, host, declared) => {
        const { declared: now } = await host.capabilities.list();
        const added = declared.filter((name) => !now.includes(name));
        const removed = now.filter((name) => !declared.includes(name));
        if (added.length > 0) await runCli(place, "capabilities", "add", ...added);
        if (removed.length > 0) await runCli(place, "capabilities", "remove", ...removed);
      },
    },
  ],
  [
    "an edited file",
    {
      by: "configuration",
      change: async (place, _, declared) => place.settle({ ...settings, capabilities: { declared } }),
    },
  ],
];

describe.each(WAYS)("a change by %s", (_, { by, change }) => {
  it("is told to all who listen, counts from the next call, is recorded once and holds after a restart", async () => {
    const place = makeGatedPlace({ tools: TOOLS, settings: { ...settings, capabilities: { declared: [] } } });
    const host = await startGated(place);
    const session = await openSession(host.origin, "2025-11-25", "/mcp", host.key);
    const dccOf = async (): Promise<unknown> => {
      const { tools } = (await session.call("tools/list")).json.result as { tools: (typeof FREE)[] };
      return tools.find(({ name }) => name === "maya__needy")?.["_meta"].dcc;
    };
    const tokenOf = async (): Promise<unknown> => (await host.rest("GET", "/v1/tools")).json.surface;
    const listeners = await openListeners(host);
    const hint = { required_capabilities: ["x"], own: 1.5 };
    expect([await verdictOf(host, "needy"), await dccOf()]).toEqual([
      "capability_missing",
      { ...hint, missing_capabilities: ["x"] },
    ]);
    const token = await tokenOf();

    await listeners.heard(() => change(place, host, ["y", "x"]));
    expect([await verdictOf(host, "needy"), await dccOf()]).toEqual(["result", hint]);
    const stale = { name: "maya__needy", arguments: {}, surface: token };
    expect((await host.rest("POST", "/v1/tools/call", stale)).json).toMatchObject({ error: "stale_surface" });
    expect((await host.rest("GET", "/v1/host/capabilities")).json).toMatchObject({ declared: ["y", "x"] });

    await listeners.heard(() => change(place, host, ["y"]));
    expect(await verdictOf(host, "needy")).toBe("capability_missing");
    expect(place.effects()).toEqual(["needy"]);
    await until(() => place.changes().length > 1);
    const recorded = [
      { before: [], after: ["y", "x"], by },
      { before: ["y", "x"], after: ["y"], by },
    ];
    expect(place.changes()).toEqual(recorded);
    expect(listeners.other.told()).toBe(0);

    await host.stop();
    expect(place.configured()["capabilities"]).toEqual({ declared: ["y"] });
    const again = await startGated(place);
    expect(await again.capabilities.list()).toEqual({ declared: ["y"], providers: {} });
    expect(await verdictOf(again, "needy")).toBe("capability_missing");
    expect(place.changes()).toEqual(recorded);
  }, 60_000);

  it("that takes something away lets a call end that began, and takes back what waits for a person, with the reason", async () => {
    const place = makeGatedPlace({ tools: TOOLS, settings });
    const host = await startGated(place);
    const running = host.call("maya__slow", {});
    await until(() => place.effects().includes("slow"));
    expect(await verdictOf(host, "asked")).toBe("approval_pending");
    const waiting = host.call("maya__asked", { n: "waits" }, { approvalWaitMs: 30_000 });
    await until(() => place.evidence().filter(({ event_type }) => event_type === "approval_requested").length === 2);

    await change(place, host, ["y"]);
    await until(() => place.changes().length > 0);
    expect(await verdictOf(host, "slow")).toBe("capability_missing");
    place.free();
    expect(await running).toMatchObject({ outcome: "success", ending: { kind: "result", isError: false } });
    expect(await waiting).toMatchObject({ ending: { kind: "refusal" } });
    await expect.poll(async () => (await host.approvals.list("pending")).length).toBe(0);
    const reason = "The host no longer declares x.";
    expect(await host.approvals.list()).toMatchObject([
      { tool: "maya__asked", state: "cancelled", reason },
      { tool: "maya__asked", state: "cancelled", reason },
    ]);
    expect(await verdictOf(host, "asked")).toBe("capability_missing");
    expect(place.effects()).toEqual(["slow"]);
  }, 60_000);
});

it("what is declared already, or more than once, changes nothing, and is no record", async () => {
  const place = makeGatedPlace();
  const host = await startGated(place);
  const tokenOf = async (): Promise<unknown> => (await host.rest("GET", "/v1/tools")).json.surface;
  const token = await tokenOf();
  expect(await declare(host, ...DECLARED, ...DECLARED)).toEqual({ before: DECLARED, after: DECLARED, persisted: true });
  expect([place.changes(), await tokenOf()]).toEqual([[], token]);
  await declare(host);
  expect(await tokenOf()).not.toBe(token);
  expect(place.changes()).toHaveLength(1);
});

it("changes by several at once come one after the other: each record begins where the last one ended", async () => {
  const place = makeGatedPlace();
  const host = await startGated(place);
  const lists = Array.from({ length: 8 }, (_, n) => [`n${n}`]);
  await Promise.all(lists.map((list) => declare(host, ...list)));
  const changes = place.changes();
  expect(changes.map(({ before }) => before)).toEqual([DECLARED, ...changes.slice(0, -1).map(({ after }) => after)]);
  expect(new Set(changes.map(({ after }) => after.join(",")))).toEqual(new Set(lists.map((list) => list.join(","))));
  const last = changes.at(-1)?.["after"];
  expect(await host.capabilities.list()).toMatchObject({ declared: last });
  expect(place.configured()["capabilities"]).toEqual({ declared: last });
});

it("what nobody may change is not changed: a key without the right, and a body that is no list", async () => {
  const place = makeGatedPlace();
  const host = await startGated(place);
  const { secret } = await host.keys.create({ name: "reader" });
  const as = { authorization: `Bearer ${secret}` };
  const put = (body: object, headers = {}): Promise<{ status: number; json: { error?: string } }> =>
    host.rest("PUT", "/v1/host/capabilities", body, headers);
  expect(await put({ declared: ["x"] }, as)).toMatchObject({ status: 403, json: { error: "permission_missing" } });
  for (const body of [{}, { declared: "x" }, { declared: [1] }, { declared: [""] }, { declared: ["a\nb"] }, []])
    expect(await put(body)).toMatchObject({ status: 400, json: { error: "bad_request" } });
  expect([place.changes(), (await host.capabilities.list()).declared]).toEqual([[], DECLARED]);
});

it("a file that says something unknown about capabilities is not taken over, and what was declared stays", async () => {
  const place = makeGatedPlace();
  const host = await startGated(place);
  place.settle({ capabilities: { declared: ["filesystem.write"], declred: [] } });
  await expect(host.bundles.reload()).rejects.toMatchObject({ kind: "bad_request" });
  expect((await host.capabilities.list()).declared).toEqual(DECLARED);
  expect([await verdictOf(host, "import_usd"), place.changes()]).toEqual(["capability_missing", []]);
});

it("what was taken away while the host was down takes back what waited for a person", async () => {
  const place = makeGatedPlace({ tools: TOOLS, settings });
  const host = await startGated(place);
  expect(await verdictOf(host, "asked")).toBe("approval_pending");
  await host.stop();
  place.settle({ ...settings, capabilities: { declared: [] } });
  const again = await startGated(place);
  await expect.poll(async () => (await again.approvals.list())[0]?.state).toBe("cancelled");
  expect((await again.approvals.list())[0]?.reason).toBe("The host no longer declares x.");
});
