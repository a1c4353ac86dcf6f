/** Rules about what is not a tool: resources and prompts that callers ask for, and files that bundles ask the host for. */
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { JSON_HEADERS, knock, modern, openSession, type Said } from "../transport/client-for-tests.ts";
import { makeGovernedPlace, ofMcp, startGoverned, type Governed, type Verdict } from "./governed-host-for-tests.ts";
import { makePlace, type Place, type WholeHost } from "./whole-host-for-tests.ts";

type Ask = (method: string, params: Record<string, unknown>) => Promise<Said>;

/** As the agent, in each era and at the provider's own door. */
const askers = async ({ host: { origin }, agent }: Governed): Promise<readonly Ask[]> => {
  const headers = { ...JSON_HEADERS, authorization: `Bearer ${agent}` };
  const legacy = await openSession(origin, "2025-11-25", "/mcp", agent);
  const own = await openSession(origin, "2025-11-25", "/mcp/providers/ops", agent);
  const bare = (name: unknown): unknown => (typeof name === "string" ? name.replace(/^ops__/, "") : name);
  return [
    (method, params) => legacy.call(method, params),
    (method, params) => knock(origin, modern(method, params, headers)),
    (method, params) => own.call(method, "name" in params ? { ...params, name: bare(params["name"]) } : params),
  ];
};

it("resources and prompts are read by the rules that name them, at every MCP door, and refused as errors", async () => {
  const governed = await startGoverned(
    makeGovernedPlace(["do"], {
      policy: {
        rules: [
          {
            id: "no-closed",
            match: { operations: ["read"], resources: ["doc://clos*"] },
            effect: "deny",
            next: "Read doc://open.",
          },
          { id: "ask-asked", match: { resources: ["doc://asked"] }, effect: "require_approval" },
          { id: "no-curse", match: { operations: ["prompt"], tools: ["ops__curse"] }, effect: "deny" },
          { id: "no-do", match: { operations: ["call"] }, effect: "deny" },
        ],
      },
    }),
  );
  for (const ask of await askers(governed)) {
    const read = async (uri: string): Promise<Verdict> => ofMcp(await ask("resources/read", { uri }));
    const prompt = async (name: string): Promise<Verdict> => ofMcp(await ask("prompts/get", { name }));
    const before = governed.place.effects().length;
    expect(await read("doc://open")).toMatchObject({ refused: null });
    expect(await prompt("ops__greet")).toMatchObject({ refused: null });
    expect(governed.place.effects().slice(before)).toEqual(["read doc://open", "prompt greet"]);
    expect(await read("doc://closed")).toMatchObject({
      refused: "policy_denied",
      rule: "no-closed",
      next: "Read doc://open.",
    });
    expect((await read("doc://closed")).text).toContain('"code":1403');
    expect(await read("doc://asked")).toMatchObject({ refused: "approval_pending", rule: "ask-asked" });
    expect(await prompt("ops__curse")).toMatchObject({ refused: "policy_denied", rule: "no-curse" });
    const call = ofMcp(await ask("tools/call", { name: "ops__do", arguments: {} }));
    expect(call).toMatchObject({ refused: "policy_denied", rule: "no-do" });
    expect(governed.place.effects()).toHaveLength(before + 2);
    const { event_type, denial } = governed.place.events().at(-1)!;
    expect([event_type, denial?.["details"].matched_rule]).toEqual(["execution_denied", "no-do"]);
  }
  const [{ id }] = (await governed.host.rest("GET", "/v1/approvals?state=pending")).json.approvals as [{ id: string }];
  expect((await governed.host.rest("POST", `/v1/approvals/${id}`, { decision: "approve" })).status).toBe(200);
  const [first] = await askers(governed);
  expect(ofMcp(await first!("resources/read", { uri: "doc://asked" }))).toMatchObject({ refused: null });
  expect(ofMcp(await first!("resources/read", { uri: "doc://asked" }))).toMatchObject({ refused: "approval_pending" });
});

const RESOURCES_SERVER = fileURLToPath(new URL("../../test/fixtures/resources-server.mjs", import.meta.url));

const writeBundle = (place: Place, name: string, mode: string): { readonly path: string } => {
  const server = {
    type: "node",
    entry_point: "server.mjs",
    mcp_config: { command: "node", args: [RESOURCES_SERVER, mode] },
  };
  return { path: place.bundle(name, { server }) };
};

type Reply = { readonly result?: any; readonly error?: any };

/** What the server was answered, whichever way its era has. */
const ask = async (host: WholeHost, bundle: string, requests: readonly object[]): Promise<Reply[]> => {
  const call = async (args: object): Promise<any> => {
    const { status, json } = await host.rest("POST", "/v1/tools/call", { name: `${bundle}__use`, arguments: args });
    expect(status).toBe(200);
    return json;
  };
  if (bundle !== "modern") return (await call({ requests })).replies as Reply[];
  const named = Object.fromEntries(requests.map((each, index) => [`a${index}`, each]));
  const { inputResponses } = (await call({ requests: named })) as { inputResponses: Record<string, Reply> };
  return Object.values(inputResponses).map((value) => ("error" in value ? value : { result: value }));
};

describe("what a bundle asks the host for", () => {
  const read = (uri: string): object => ({ method: "ai.nimblebrain/resources/read", params: { uri } });
  const list = { method: "ai.nimblebrain/resources/list" };

  const start = async (policy: object): Promise<{ place: Place; host: WholeHost; uri: string }> => {
    const place = makePlace();
    const bundles = [
      writeBundle(place, "notes", "stdio"),
      writeBundle(place, "other", "stdio"),
      writeBundle(place, "modern", "modern-stdio"),
    ];
    place.configure({ bundles, policy });
    const host = await place.start();
    for (const name of ["notes", "other", "modern"]) await host.until(name, "running");
    const { json } = await host.rest("POST", "/v1/tools/call", {
      name: "files__create",
      arguments: { filename: "a.txt", body: "hello" },
    });
    return { place, host, uri: (json.structuredContent as { file: { uri: string } }).file.uri };
  };

  it("is given by the rules that name it and refused by them, recorded with the rule, in both eras", async () => {
    const { place, host, uri } = await start({
      rules: [
        {
          id: "not-notes",
          match: { operations: ["host-resources"], principals: ["bundle:notes", "bundle:ws_default/modern"] },
          effect: "deny",
          reason: "They are not its business",
          next: "Send the text itself",
        },
      ],
    });
    for (const name of ["notes", "modern"]) {
      const replies = await ask(host, name, [read(uri), read(uri.toUpperCase()), read("files://fl_none"), list]);
      for (const { error } of replies) {
        expect(error).toMatchObject({ code: 1403, data: { kind: "policy_denied", next: "Send the text itself." } });
        expect(error.message).toContain("Send the text itself.");
      }
    }
    expect(await ask(host, "other", [read(uri), list])).toMatchObject([
      { result: { contents: [{ text: "hello" }] } },
      { result: { resources: [{ uri }] } },
    ]);
    const uses = place.evidence("extension_used").map(({ payload }) => [payload["outcome"], payload["rule"]]);
    const refused = Array.from({ length: 8 }, () => ["denied", "not-notes"]);
    expect(uses).toEqual([...refused, ["success", undefined], ["success", undefined]]);
  });

  it("is refused one file by its URI however that is spelled, and with no rule that allows it all", async () => {
    const open = await start({});
    expect(await ask(open.host, "notes", [read(open.uri)])).toMatchObject([{ result: {} }]);
    open.place.configure({
      ...open.place.configured(),
      policy: { rules: [{ id: "not-this", match: { resources: [open.uri] }, effect: "deny" }] },
    });
    expect((await open.host.rest("POST", "/v1/reload", {})).status).toBeLessThan(300);
    const spelled = [open.uri, open.uri.replace("files:", "FILES:")].map(read);
    expect(await ask(open.host, "notes", [...spelled, list])).toMatchObject([
      { error: { code: 1403 } },
      { error: { code: 1403 } },
      { result: { resources: [{ uri: open.uri }] } },
    ]);
    open.place.configure({
      ...open.place.configured(),
      policy: { shipped: false, rules: [{ id: "calls", match: { operations: ["call"] }, effect: "allow" }] },
    });
    expect((await open.host.rest("POST", "/v1/reload", {})).status).toBeLessThan(300);
    expect(await ask(open.host, "notes", [list])).toMatchObject([{ error: { code: 1403 } }]);
  });

  it("is given in audit mode what a rule denies, and each time that is recorded", async () => {
    const { place, host, uri } = await start({
      mode: "audit",
      rules: [{ id: "not-notes", match: { principals: ["bundle:notes"] }, effect: "deny" }],
    });
    expect(await ask(host, "notes", [read(uri), list])).toMatchObject([{ result: {} }, { result: {} }]);
    const suspended = place.evidence("policy_would_deny");
    expect(suspended.map(({ payload }) => payload["matched_rule"])).toEqual(["not-notes", "not-notes"]);
    expect(new Set(suspended.map(({ payload }) => payload["uri"]))).toEqual(new Set(["", uri]));
    expect(place.evidence("extension_used")).toHaveLength(2);
    expect(suspended[0]).toMatchObject({
      subject: { id: "bundle://ws_default/notes", verified: true },
      payload: { kind: "policy_denied", policy_version: expect.stringMatching(/^sha256:/) },
    });
  });
});
