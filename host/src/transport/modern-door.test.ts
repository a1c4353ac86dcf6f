import { request } from "node:http";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { META_LOG_LEVEL, META_VERSION, MODERN_VERSION } from "./protocol.ts";
import { knock, modern } from "./client-for-tests.ts";
import { openTestDoor, type TestDoor } from "./door-for-tests.ts";

let door: TestDoor;
beforeEach(async () => {
  door = await openTestDoor({ timings: { silenceMs: 100, commentMs: 30 } });
});
afterEach(async () => {
  door.release();
  await door.listener.close();
  expect(door.listener.load()).toEqual({ calls: 0, sessions: 0 });
});

const ask = (method: string, params?: Record<string, unknown>, headers?: Record<string, string>) =>
  knock(door.origin, modern(method, params, headers));

describe("what the host answers itself", () => {
  it("server/discover says versions, capabilities and who answers", async () => {
    const said = await ask("server/discover");
    expect(said.status).toBe(200);
    expect(said.json.result).toEqual({
      resultType: "complete",
      ttlMs: 60_000,
      cacheScope: "private",
      supportedVersions: [MODERN_VERSION],
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { listChanged: true, subscribe: true },
        completions: {},
        extensions: {
          "io.modelcontextprotocol/skills": { directoryRead: true },
          "io.modelcontextprotocol/tasks": {},
        },
      },
      instructions: "Read this first.",
      _meta: { "io.modelcontextprotocol/serverInfo": { name: "bailiwick", version: "1.2.3" } },
    });
    expect(said.headers["mcp-session-id"]).toBeUndefined();
  });

  it("lists with cache hints, none of them while something is starting", async () => {
    const hints = { resultType: "complete", ttlMs: 5000, cacheScope: "private" };
    expect((await ask("tools/list")).json.result).toEqual({ ...hints, tools: JSON.parse(door.shown.tools) });
    expect((await ask("resources/templates/list")).json.result).toEqual({ ...hints, resourceTemplates: [] });
    door.shown.settled = false;
    expect((await ask("prompts/list")).json.result).toEqual({ ...hints, ttlMs: 0, prompts: [] });
    expect((await ask("server/discover")).json.result.ttlMs).toBe(0);
  });

  it.each(["initialize", "ping", "logging/setLevel", "nope", "skills/put", "__proto__"])(
    "%s is not there: 404 and -32601",
    async (method) => {
      const said = await ask(method);
      expect(said.status).toBe(404);
      expect(said.json).toMatchObject({ id: 1, error: { code: -32601 } });
    },
  );

  it("takes a notification and says nothing", async () => {
    const { headers } = modern("notifications/x");
    const body = { jsonrpc: "2.0", method: "notifications/x" };
    expect(await knock(door.origin, { headers: headers!, body })).toMatchObject({ status: 202, text: "" });
  });

  it("has no GET and no DELETE", async () => {
    for (const method of ["GET", "DELETE"]) {
      const headers = { ...modern("x").headers, "mcp-session-id": "a" };
      expect((await knock(door.origin, { method, headers })).status).toBe(405);
    }
  });
});

describe("headers", () => {
  const encoded = (text: string): string => `=?base64?${Buffer.from(text).toString("base64")}?=`;

  it.each([
    ["plain", "echo", "echo", 200],
    ["with blanks around", "echo", "  echo ", 200],
    ["in base64", "echo", encoded("echo"), 200],
    ["beyond ASCII in base64", "grüß__dich", encoded("grüß__dich"), 200],
    ["of another tool", "echo", "other", 400],
    ["in other letters", "echo", "Echo", 400],
    ["of another tool in base64", "echo", encoded("other"), 400],
    ["in broken base64", "echo", "=?base64?%%%?=", 400],
    ["in base64 that is no UTF-8", "echo", `=?base64?${Buffer.from([0xff]).toString("base64")}?=`, 400],
    ["empty", "echo", "", 400],
  ])("Mcp-Name %s", async (_, name, header, status) => {
    const said = await ask("tools/call", { name }, { "mcp-name": header });
    expect(said.status).toBe(status);
    expect(said.json.error?.code).toBe(status === 200 ? undefined : -32020);
    expect(door.calls).toHaveLength(status === 200 ? 1 : 0);
  });

  it.each(["mcp-protocol-version", "mcp-method", "mcp-name"])("%s must be there", async (name) => {
    const { headers, body } = modern("resources/read", { uri: "a:b" });
    const { [name]: _, ...rest } = headers!;
    const said = await knock(door.origin, { headers: rest, body: body! });
    expect(said).toMatchObject({ status: 400, json: { id: 1, error: { code: -32020 } } });
  });

  it.each(["skills/get", "resources/directory/read"])(
    "Mcp-Name of %s may be left out, but not be wrong",
    async (method) => {
      const { headers, body } = modern(method, { uri: "skill://p/a" });
      const { "mcp-name": right, ...bare } = headers!;
      const codeOf = async (name: Record<string, string>): Promise<number> =>
        (await knock(door.origin, { headers: { ...bare, ...name }, body: body! })).json.error?.code;
      expect(right).toBe("skill://p/a");
      expect(await codeOf({ "mcp-name": "skill://p/b" })).toBe(-32020);
      expect(await codeOf({ "mcp-name": right! })).not.toBe(-32020);
      expect(await codeOf({})).not.toBe(-32020);
    },
  );

  describe("that repeat arguments", () => {
    const call = (args: object, headers: Record<string, string> = {}) => {
      const declared = [
        { header: "Region", path: ["region"] },
        { header: "Floor", path: ["place", "floor"] },
        { header: "Live", path: ["live"] },
      ];
      door.paramHeaders.set("echo", declared);
      return ask("tools/call", { name: "echo", arguments: args }, headers);
    };

    it.each<[string, object, Record<string, string>]>([
      ["plain", { region: "eu" }, { "mcp-param-region": "eu" }],
      ["in other letters of the name", { region: "eu" }, { "MCP-PARAM-REGION": "eu" }],
      ["in base64", { region: "Grüße " }, { "mcp-param-region": encoded("Grüße ") }],
      ["with half the marks of base64", { region: "=?base64?eA==" }, { "mcp-param-region": "=?base64?eA==" }],
      ["as a number", { place: { floor: 42 } }, { "mcp-param-floor": "42.0" }],
      ["as true or false", { live: false }, { "mcp-param-live": "false" }],
      ["of nothing", { region: null, place: {} }, {}],
      ["that no argument asks for", {}, { "mcp-param-other": "x" }],
    ])("are taken %s", async (_, args, headers) => {
      expect((await call(args, headers)).status).toBe(200);
      expect(door.calls).toHaveLength(1);
    });

    it.each<[string, object, Record<string, string>]>([
      ["missing", { region: "eu" }, {}],
      ["missing deeper down", { place: { floor: 0 } }, {}],
      ["different", { region: "eu" }, { "mcp-param-region": "us" }],
      ["in other letters of the value", { region: "eu" }, { "mcp-param-region": "EU" }],
      ["another number", { place: { floor: 42 } }, { "mcp-param-floor": "43" }],
      ["no number", { place: { floor: 0 } }, { "mcp-param-floor": " " }],
      ["in base64 without padding", { region: "Hello" }, { "mcp-param-region": "=?base64?SGVsbG8?=" }],
      ["in base64 of other characters", { region: "Hello" }, { "mcp-param-region": "=?base64?SGVs!!!bG8=?=" }],
      ["of an argument that is not there", {}, { "mcp-param-region": "eu" }],
    ])("are refused %s", async (_, args, headers) => {
      const said = await call(args, headers);
      expect(said).toMatchObject({ status: 400, json: { id: 1, error: { code: -32020 } } });
      expect(door.calls).toEqual([]);
    });
  });

  it("names the version that is spoken here", async () => {
    const said = await ask("x", { _meta: { [META_VERSION]: "2027-01-01" } }, { "mcp-protocol-version": "2027-01-01" });
    expect(said.status).toBe(400);
    expect(said.json.error).toMatchObject({
      code: -32022,
      data: { supported: [MODERN_VERSION], requested: "2027-01-01" },
    });
  });
});

describe("a call", () => {
  it("gets resultType where the upstream gave none, and nothing else is touched", async () => {
    const said = await ask("tools/call", { name: "odd" });
    expect(said.text).toBe(
      '{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete", "content" : [],\n"n":1.0,"big":12345678901234567890 }}',
    );
    const typed = await ask("tools/call", { name: "typed" });
    expect(typed.text).toContain('"result":{"resultType":"complete","content":[],"structuredContent":[1,2.0]}');
  });

  it("forwards no part of the envelope", async () => {
    await ask("tools/call", {
      name: "echo",
      _meta: { "x/y": 1, [META_LOG_LEVEL]: "info" },
      inputResponses: {},
      z: 1.5,
    });
    expect(door.calls[0]).toMatchObject({ meta: '"x/y":1', extraParams: '"z":1.5', input: { responses: "{}" } });
  });

  it("reads with capped cache hints, and says not-found in the way of its era", async () => {
    const said = await ask("resources/read", { uri: "a:b" });
    expect(said.json.result).toMatchObject({ resultType: "complete", ttlMs: 60_000, cacheScope: "private" });
    for (const uri of ["missing:x", "lacking:x"]) {
      expect((await ask("resources/read", { uri })).json.error).toEqual({ code: -32602, message: "no", data: { uri } });
    }
  });

  it("refuses state that this host did not give", async () => {
    const said = await ask("tools/call", { name: "echo", requestState: "bw1.x" });
    expect(said.json.error).toMatchObject({ code: -32602, data: { reason: "invalid_request_state" } });
    expect((await ask("tools/call", { name: "echo", inputResponses: [] })).json.error.code).toBe(-32602);
    expect(door.calls).toEqual([]);
  });

  it("hears progress only under its token, logs only from the level it set", async () => {
    const quiet = await ask("tools/call", { name: "chatty" });
    expect(quiet.headers["content-type"]).toBe("application/json");
    const _meta = { progressToken: "p", [META_LOG_LEVEL]: "warning" };
    const loud = await ask("tools/call", { name: "chatty", _meta });
    expect(loud.headers["x-accel-buffering"]).toBe("no");
    expect(loud.json.map((message: any) => message.params?.progress ?? message.params?.level ?? message.id)).toEqual([
      1,
      2,
      3,
      "warning",
      1,
    ]);
  });

  it("becomes a stream kept open by comments when nothing is heard for long", async () => {
    const { headers, body } = modern("tools/call", { name: "slow" });
    let text = "";
    const ended = new Promise<string | undefined>((resolve, reject) => {
      const req = request(`${door.origin}/mcp`, { method: "POST", headers: headers!, agent: false }, (res) => {
        res.on("data", (chunk: Buffer) => (text += chunk.toString()));
        res.on("end", () => resolve(res.headers["content-type"]));
      });
      req.on("error", reject);
      req.end(JSON.stringify(body));
    });
    await vi.waitFor(() => expect(text).toMatch(/^: \n\n: \n\n/), { timeout: 10_000 });
    door.release();
    expect(await ended).toBe("text/event-stream");
    expect(text).toMatch(/^(: \n\n)+event: message\ndata: \{"jsonrpc":"2.0","id":1,"result"/);
  });

  it("is cancelled when the client closes the response", async () => {
    const { headers, body } = modern("tools/call", { name: "slow" });
    const req = request(`${door.origin}/mcp`, { method: "POST", headers: headers!, agent: false });
    req.on("error", () => {});
    req.end(JSON.stringify(body));
    await vi.waitFor(() => expect(door.calls).toHaveLength(1));
    expect(door.calls[0]?.signal.aborted).toBe(false);
    req.destroy();
    await vi.waitFor(() => expect(door.calls[0]?.signal.aborted).toBe(true));
    await vi.waitFor(() => expect(door.listener.load().calls).toBe(0));
  });
});
