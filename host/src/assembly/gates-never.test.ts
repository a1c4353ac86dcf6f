/** What must never happen at the gate of capabilities, whichever way a call or a tool comes to a whole host. */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { until } from "../bundles/bundles-for-tests.ts";
import { JSON_HEADERS, knock, modern, openSession } from "../transport/client-for-tests.ts";
import { META_CAPABILITIES, META_VERSION, MODERN_VERSION } from "../transport/protocol.ts";
import { declare, FREE, makeGatedPlace, startGated, tool, type GatedPlace, type Json } from "./gated-host-for-tests.ts";
import { holdEvidence, type WholeHost } from "./whole-host-for-tests.ts";

const NEEDY = tool("needy", ["x"]);

const kindOf = async (host: WholeHost, name: string): Promise<string> => {
  const { ending } = await host.call(name, {});
  return ending.kind === "refusal" ? ending.refusal.kind : ending.kind;
};

const acceptAll = async (host: WholeHost): Promise<void> => {
  const { held } = await host.bundles.inspect("maya");
  await host.bundles.accept("maya", { tools: null, offered: held.map(({ offered }) => offered) });
};

/** A package with one script, which leaves a mark when it runs. */
const addPackage = (place: GatedPlace): string => {
  const dir = join(place.dir, "skills", "pack");
  const mark = join(place.dir, "script-ran");
  mkdirSync(join(dir, "scripts"), { recursive: true });
  const head = "---\nname: pack\ndescription: For tests.\nmetadata:\n  dcc-mcp:\n    tools: tools.yaml\n---\n";
  writeFileSync(join(dir, "SKILL.md"), head);
  writeFileSync(join(dir, "tools.yaml"), "tools:\n  - name: needy\n    required_capabilities: [x]\n");
  writeFileSync(join(dir, "scripts", "needy.sh"), `touch '${mark}'\necho '{"ok":true}'\n`);
  return mark;
};

describe("never 1: something skips the gate", () => {
  it("a tool that its server adds while it runs waits for a yes, and then for what it requires", async () => {
    const place = makeGatedPlace({ tools: [FREE, tool("touch")], settings: { capabilities: {} } });
    const host = await startGated(place);
    place.list(FREE, tool("touch"), NEEDY);
    expect(await kindOf(host, "maya__touch")).toBe("result");
    await until(() => host.tools().some(({ name }) => name === "maya__needy"));
    expect(await kindOf(host, "maya__needy")).toBe("definition_new");
    await acceptAll(host);
    expect(await kindOf(host, "maya__needy")).toBe("capability_missing");
    expect(host.tools().find(({ name }) => name === "maya__needy")).toMatchObject({ required: ["x"], missing: ["x"] });
    expect(place.effects()).toEqual(["touch"]);
    await declare(host, "x");
    expect(await kindOf(host, "maya__needy")).toBe("result");
  });

  it("a tool that drops its own requirement while it runs keeps the one that was accepted until a person accepts that", async () => {
    const place = makeGatedPlace({ tools: [NEEDY, tool("touch")], settings: { capabilities: {} } });
    const host = await startGated(place);
    place.list(tool("needy"), tool("touch"));
    await kindOf(host, "maya__touch");
    await expect.poll(() => kindOf(host, "maya__needy")).toBe("definition_changed");
    expect(host.tools().find(({ name }) => name === "maya__needy")).toMatchObject({ required: ["x"], missing: ["x"] });
    expect(place.effects()).toEqual(["touch"]);
    await acceptAll(host);
    expect(await kindOf(host, "maya__needy")).toBe("result");
  });

  it("a bundle and a package that are added while the host runs meet it", async () => {
    const place = makeGatedPlace({ tools: [NEEDY], settings: { bundles: [], capabilities: {} } });
    const host = await place.start();
    const mark = addPackage(place);
    place.settle({ capabilities: {}, skillDirs: ["skills"] });
    await host.bundles.reload();
    await host.until("maya", "running");
    await expect.poll(() => kindOf(host, "maya__needy")).toBe("capability_missing");
    await expect.poll(() => kindOf(host, "pack__needy"), { timeout: 10_000 }).toBe("capability_missing");
    expect([place.effects(), existsSync(mark)]).toEqual([[], false]);
    await declare(host, "x");
    expect([await kindOf(host, "maya__needy"), await kindOf(host, "pack__needy")]).toEqual(["result", "result"]);
    expect([place.effects(), existsSync(mark)]).toEqual([["needy"], true]);
  });

  it("a tool that another tool calls through the host meets it, with the key of that tool, at each door", async () => {
    const place = makeGatedPlace({ tools: [NEEDY, tool("relay")], settings: { capabilities: {} } });
    const host = await startGated(place);
    const { secret } = await host.keys.create({ name: "relay" });
    const headers = { ...JSON_HEADERS, authorization: `Bearer ${secret}` };
    const params = { name: "maya__needy", arguments: {} };
    const envelope = { [META_VERSION]: MODERN_VERSION, [META_CAPABILITIES]: {} };
    const mcp = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { ...params, _meta: envelope } };
    const more = { "mcp-protocol-version": MODERN_VERSION, "mcp-method": "tools/call", "mcp-name": params.name };
    const ways: readonly (readonly [string, Json, Json])[] = [
      ["/v1/tools/call", headers, params],
      ["/mcp", { ...headers, ...more }, mcp],
      ["/chp/invoke", headers, { capability_id: params.name, payload: {} }],
    ];
    for (const [path, head, body] of ways) {
      place.relayTo({ url: host.origin + path, headers: head, body });
      const { ending } = await host.call("maya__relay", {});
      expect(JSON.stringify(ending)).toContain("capability_missing: tool 'maya__needy' requires x");
    }
    expect(place.effects()).toEqual(["relay", "relay", "relay"]);
    const nested = place.events().filter(({ capability_id: id }) => id === "maya__needy");
    expect(nested.map(({ event_type, subject }) => [event_type, subject?.["id"]])).toEqual(
      ways.map(() => ["execution_denied", "agent://relay"]),
    );
  });

  it("each item of a batch meets it, and what is found by a search", async () => {
    const place = makeGatedPlace({ tools: [NEEDY, FREE], settings: { capabilities: {} } });
    const host = await startGated(place);
    const session = await openSession(host.origin, "2025-03-26", "/mcp", host.key);
    const names = Array.from({ length: 10 }, (_, n) => (n % 2 === 0 ? "maya__needy" : "maya__free"));
    const { json } = await session.post(
      names.map((name, id) => ({ jsonrpc: "2.0", id, method: "tools/call", params: { name, arguments: {} } })),
    );
    const answers = (json as Json[]).flat().toSorted((a, b) => a["id"] - b["id"]);
    expect(answers.map(({ error }) => error?.code ?? null)).toEqual(names.map((_, n) => (n % 2 === 0 ? -32001 : null)));
    expect(place.effects()).toEqual(names.filter((name) => name === "maya__free").map(() => "free"));
    const { tools } = (await host.rest("GET", "/v1/tools?q=needy")).json as Json;
    expect(tools).toMatchObject([{ name: "maya__needy", required_capabilities: ["x"], missing_capabilities: ["x"] }]);
    expect((await host.rest("GET", "/v1/tools?q=needy&satisfied=true")).json.tools).toEqual([]);
  });
});

it("never 2: something missing is not required, a satisfied tool has the key, or an unsatisfied one is not listed", async () => {
  const words = ["", "a", "b", "a.b", "A", "*", "a*"];
  const lists = words.flatMap((word, n) => [[word], [word, "a", word], words.slice(n)]);
  const place = makeGatedPlace({ tools: lists.map((list, n) => tool(`t${n}`, list)), settings: { capabilities: {} } });
  const host = await startGated(place);
  const headers = { ...JSON_HEADERS, authorization: `Bearer ${host.key}` };
  const property = fc.asyncProperty(fc.subarray(words.slice(1)), async (declared) => {
    await host.capabilities.declare(declared);
    const { result } = (await knock(host.origin, modern("tools/list", {}, headers))).json as Json;
    const listed = (result.tools as Json[]).filter(({ name }) => name.startsWith("maya__"));
    expect(new Set(listed.map(({ name }) => name))).toEqual(new Set(lists.map((_, n) => `maya__t${n}`)));
    for (const { name, _meta } of listed) {
      const required = lists[Number(name.slice("maya__t".length))] ?? [];
      const missing = required.filter((each) => each !== "" && !declared.includes(each));
      const expected = missing.length === 0 ? {} : { missing_capabilities: missing };
      expect([name, _meta.dcc]).toEqual([name, { own: 1.5, required_capabilities: required, ...expected }]);
    }
  });
  await fc.assert(property, { numRuns: 20 });
});

it("never 3: code starts, or a person is asked, though the gate said no, while what is declared comes and goes", async () => {
  const place = makeGatedPlace({
    tools: [NEEDY, tool("asked", ["x"])],
    settings: {
      capabilities: {},
      policy: { rules: [{ id: "ask", match: { tools: ["maya__asked"] }, effect: "require_approval" }] },
    },
  });
  const host = await startGated(place);
  const heard: string[] = [];
  const turns = { left: 12 };
  const callOn = async (name: string, n: number): Promise<void> => {
    for (let at = 0; turns.left > 0; at++) {
      const { ending } = await host.call(name, { n: `${n}-${at}` });
      heard.push(`${name} ${ending.kind === "refusal" ? ending.refusal.kind : ending.kind}`);
    }
  };
  const calling = ["maya__needy", "maya__asked", "maya__needy", "maya__asked"].map(callOn);
  for (; turns.left > 0; turns.left--) await declare(host, ...(turns.left % 2 === 0 ? ["x"] : []));
  await Promise.all(calling);
  const count = (what: string): number => heard.filter((each) => each === what).length;
  expect(place.effects()).toHaveLength(count("maya__needy result"));
  // What was asked in the moment before it was taken back is told as that.
  const told = count("maya__asked approval_pending") + count("maya__asked approval_expired");
  const asked = place.evidence().filter(({ event_type }) => event_type === "approval_requested");
  const late = asked.length - told;
  expect([late >= 0, late <= count("maya__asked capability_missing")]).toEqual([true, true]);
  const kinds = ["needy result", "needy capability_missing", "asked approval_pending", "asked capability_missing"];
  expect(new Set([...heard, "maya__asked approval_expired"])).toEqual(
    new Set([...kinds, "asked approval_expired"].map((each) => `maya__${each}`)),
  );
  expect(place.changes()).toHaveLength(12);
  await expect.poll(() => host.approvals.list("pending"), { timeout: 20_000 }).toEqual([]);
  expect(await kindOf(host, "maya__needy")).toBe("capability_missing");
}, 60_000);

it("never 4: what is declared changes without a record: where none can be written nothing is changed", async () => {
  const place = makeGatedPlace({ tools: [NEEDY], settings: { capabilities: {} } });
  const host = await startGated(place);
  const release = holdEvidence(place);
  expect(await host.rest("PUT", "/v1/host/capabilities", { declared: ["x"] })).toMatchObject({
    status: 503,
    json: { error: "evidence_unavailable" },
  });
  release();
  expect(await host.capabilities.list()).toEqual({ declared: [], providers: {} });
  expect(place.configured()["capabilities"]).toEqual({});
  await expect.poll(() => kindOf(host, "maya__needy"), { timeout: 15_000 }).toBe("capability_missing");
  await declare(host, "x");
  expect([await kindOf(host, "maya__needy"), place.changes()]).toEqual([
    "result",
    [{ before: [], after: ["x"], by: "person:owner" }],
  ]);
}, 60_000);
