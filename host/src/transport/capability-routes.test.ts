import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Ending, HandleCall } from "../kernel/call.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { Refusal } from "../kernel/refusal.ts";
import { knock, type Said } from "./client-for-tests.ts";
import { openTestDoor, OTHER, OWNER, type TestDoor } from "./door-for-tests.ts";

/** A document as its text, by URI; or how reading it ends. */
const documents = new Map<string, string | Ending>();

const resultOf = (uri: string, text: string): Ending => ({
  kind: "result",
  json: rawJson(JSON.stringify({ contents: [{ uri, mimeType: "application/json", text }], ttlMs: 0 })),
  isError: false,
});

const notThere = (uri: string): Ending => ({
  kind: "refusal",
  refusal: new Refusal("resource_not_found", {
    message: `There is no document ${uri}.`,
    next: "Read capabilities://",
    details: { uri, known: [...documents.keys()] },
  }),
  stage: 10,
});

const handleCall: HandleCall = async ({ name }) => {
  const found = documents.get(name) ?? notThere(name);
  const ending = typeof found === "string" ? resultOf(name, found) : found;
  return { ending, outcome: "success", principal: null, evidenceId: "evt_1", tool: null };
};

let door: TestDoor;
beforeAll(async () => {
  door = await openTestDoor({ handleCall });
});
beforeEach(() => {
  documents.clear();
  door.calls.length = 0;
  door.bugs.length = 0;
});
afterAll(() => door.listener.close());

const get = (path: string, key: string | null = OWNER, more: Record<string, string> = {}): Promise<Said> =>
  knock(door.origin, { method: "GET", path, headers: { ...(key && { authorization: `Bearer ${key}` }), ...more } });

describe("a document about the host", () => {
  it.each([
    ["/v1/capabilities", "capabilities://"],
    ["/v1/capabilities/server", "capabilities://server"],
    ["/v1/capabilities/tools", "capabilities://tools"],
    ["/v1/capabilities/generators?x=1", "capabilities://generators"],
    ["/v1/capabilities/tools/compose", "capabilities://tools/compose"],
    ["/v1/capabilities/tools/my%2Dbundle", "capabilities://tools/my-bundle"],
  ])("%s is %s, read on the one call path as nobody's own view", async (path, uri) => {
    documents.set(uri, `{"of":${JSON.stringify(uri)}}`);
    const said = await get(path, OTHER);
    expect([said.status, said.json]).toEqual([200, { of: uri }]);
    expect(door.calls).toHaveLength(1);
    expect(door.calls[0]).toMatchObject({ door: "rest", operation: "read", name: uri, provider: null });
    expect(door.calls[0]?.presented).toMatchObject({ kind: "bearer", token: OTHER });
  });

  it("is the body itself, byte for byte, and is not kept by anything on the way", async () => {
    const text = '{ "name":"ä\\u00e4 \\"q\\" \\n",\n "big":12345678901234567890, "n":1.0, "emoji":"😀" }';
    documents.set("capabilities://server", text);
    const said = await get("/v1/capabilities/server");
    expect(said.text).toBe(text);
    expect(said.headers).toMatchObject({ "content-type": "application/json", "cache-control": "no-store" });
    expect(said.headers["content-length"]).toBe(String(Buffer.byteLength(text)));
  });

  it("is of the workspace that the caller names", async () => {
    documents.set("capabilities://server", "{}");
    const said = await get("/v1/capabilities/server", OWNER, { "x-workspace-id": "ws_nowhere" });
    expect(said.status).not.toBe(200);
    expect(door.calls).toEqual([]);
  });
});

describe("what is not there", () => {
  it.each([
    ["/v1/capabilities/nothing", "capabilities://nothing"],
    ["/v1/capabilities/tools/nobody", "capabilities://tools/nobody"],
    ["/v1/capabilities/..%2F..%2Fetc", "capabilities://../../etc"],
    ["/v1/capabilities/*", "capabilities://*"],
    ["/v1/capabilities/%00", "capabilities://\0"],
    ["/v1/capabilities/%E0%A4%A", "capabilities://%E0%A4%A"],
    ["/v1/capabilities/files:%2F%2Fx", "capabilities://files://x"],
  ])("%s is refused as a resource of this family, with no part of a document", async (path, uri) => {
    const said = await get(path);
    expect(said).toMatchObject({ status: 404, json: { error: "resource_not_found", remedy: expect.any(String) } });
    expect(said.headers["cache-control"]).toBe("no-store");
    expect(door.calls.map(({ name }) => name)).toEqual([uri]);
  });

  it.each(["/v1/capabilities/", "/v1/capabilities/skills/x", "/v1/capabilities/tools/a/b"])(
    "%s is no route, and nothing is called",
    async (path) => {
      expect(await get(path)).toMatchObject({ status: 404, json: { error: "not_found" } });
      expect(door.calls).toEqual([]);
    },
  );

  it.each(["POST", "PUT", "DELETE"])("%s is not for documents", async (method) => {
    const said = await knock(door.origin, { method, path: "/v1/capabilities/server", body: {} });
    expect(said).toMatchObject({ status: 404, json: { error: "not_found" } });
    expect(door.calls).toEqual([]);
  });
});

describe("a reader", () => {
  it("without a key that is known is asked for one, and nothing is read", async () => {
    for (const key of [null, "nobody"]) expect((await get("/v1/capabilities", key)).status).toBe(401);
    expect(door.calls).toEqual([]);
  });

  it("whom a rule refuses hears the rule's refusal", async () => {
    const refusal = new Refusal("policy_denied", { message: "The rule says no.", next: "Ask its author." });
    documents.set("capabilities://host", { kind: "refusal", refusal, stage: 6 });
    expect(await get("/v1/capabilities/host")).toMatchObject({
      status: 403,
      json: { error: "policy_denied", message: "The rule says no.", remedy: "Ask its author." },
    });
  });

  it.each(["{}", '{"contents":[]}', '{"contents":{}}', '{"contents":[7]}', '{"contents":[{"text":1}]}'])(
    "sees nothing of the inside when %s was read",
    async (json) => {
      documents.set("capabilities://server", { kind: "result", json: rawJson(json), isError: false });
      expect(await get("/v1/capabilities/server")).toMatchObject({ status: 500, json: { error: "internal" } });
      expect(door.bugs).toHaveLength(1);
    },
  );
});
