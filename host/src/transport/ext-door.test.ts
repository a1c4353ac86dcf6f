import { once } from "node:events";
import { createServer, request as httpRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { askError, type AskAnswer } from "../kernel/ask.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { createExtensionDoor, type ExtensionDoorDeps } from "./ext-door.ts";

const TOKEN = "good";
const LIST = "ai.nimblebrain/resources/list";
const ending: (() => unknown)[] = [];

interface Opened {
  readonly url: string;
  readonly rejected: string[];
  readonly asked: unknown[];
}

const open = async (
  serve: (method: string, params: unknown) => AskAnswer | Promise<AskAnswer>,
  tokens: Set<string> = new Set([TOKEN]),
): Promise<Opened> => {
  const rejected: string[] = [];
  const asked: unknown[] = [];
  const port = {
    serve: async (method: string, params: unknown) => {
      asked.push([method, params]);
      return serve(method, params);
    },
  };
  const deps: ExtensionDoorDeps = {
    extensions: { find: (token) => (tokens.has(token) ? port : null) },
    rejected: (source) => void rejected.push(source),
  };
  const door = createExtensionDoor(deps);
  const server = createServer((req, res) => {
    void door({ req, res, route: { path: req.url ?? "" } }).then((taken) => taken || res.writeHead(404).end("{}"));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  ending.push(() => server.close().closeAllConnections());
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/ext/host-resources`, rejected, asked };
};

const rpc = (more: object = {}): string => JSON.stringify({ jsonrpc: "2.0", id: 1, method: LIST, params: {}, ...more });

const post = async (
  url: string,
  body: string,
  headers: Record<string, string> = {},
): Promise<{ status: number; body: unknown; headers: Headers }> => {
  const all = { "content-type": "application/json", authorization: `Bearer ${TOKEN}`, ...headers };
  const response = await fetch(url, { method: "POST", headers: all, body });
  return { status: response.status, body: await response.json(), headers: response.headers };
};

const EMPTY: AskAnswer = { kind: "result", json: rawJson('{"resources":[]}') };

afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end();
});

describe("a bundle that asks over HTTP", () => {
  it("gets the result, or the error with its data, under the id that it sent", async () => {
    const door = await open((method) => (method === LIST ? EMPTY : askError(-32002, "no", { uri: "files://x" })));
    expect(await post(door.url, rpc({ id: "a" }))).toMatchObject({
      status: 200,
      body: { jsonrpc: "2.0", id: "a", result: { resources: [] } },
    });
    const params = { uri: "files://x" };
    expect((await post(door.url, rpc({ method: "ai.nimblebrain/resources/read", params }))).body).toEqual({
      jsonrpc: "2.0",
      id: 1,
      error: { code: -32002, message: "no", data: { uri: "files://x" } },
    });
    expect(door.asked).toEqual([
      [LIST, {}],
      ["ai.nimblebrain/resources/read", params],
    ]);
  });

  it("is told 401 without the token that it was handed, and nothing is asked", async () => {
    const door = await open(() => EMPTY);
    for (const authorization of ["", "Bearer other", `Basic ${TOKEN}`, "Bearer "]) {
      const { status, body, headers } = await post(door.url, rpc(), { authorization });
      expect(status).toBe(401);
      expect(headers.get("www-authenticate")).toBe("Bearer");
      expect(body).toMatchObject({ jsonrpc: "2.0", error: { data: { kind: "unauthenticated" } } });
    }
    expect(door.rejected).toHaveLength(4);
    expect(door.asked).toEqual([]);
  });

  it("is told 401 when its token was revoked while the request was under way", async () => {
    const tokens = new Set([TOKEN]);
    const door = await open(() => EMPTY, tokens);
    const headers = { "content-type": "application/json", authorization: `Bearer ${TOKEN}` };
    const request = httpRequest(door.url, { method: "POST", headers });
    request.write(rpc().slice(0, 5));
    await new Promise((resolve) => setTimeout(resolve, 50));
    tokens.clear();
    request.end(rpc().slice(5));
    const [response] = (await once(request, "response")) as [{ statusCode: number; resume(): void }];
    response.resume();
    expect(response.statusCode).toBe(401);
    expect(door.asked).toEqual([]);
  });

  it.each([
    ["{", {}, 400],
    ["[]", {}, 400],
    [rpc({ id: undefined }), {}, 400],
    [rpc({ id: null }), {}, 400],
    [rpc({ jsonrpc: "1.0" }), {}, 400],
    [rpc({ method: 1 }), {}, 400],
    ['{"jsonrpc":"2.0","id":1,"method":"a","method":"b"}', {}, 400],
    [rpc(), { "content-type": "text/plain" }, 415],
    [rpc(), { "content-encoding": "gzip" }, 415],
    [rpc({ params: { uri: "x".repeat(1_100_000) } }), {}, 413],
  ])("is told what is wrong with the body %.40s with %j", async (body, headers, status) => {
    const door = await open(() => EMPTY);
    const answer = await post(door.url, body, headers);
    expect(answer).toMatchObject({ status, body: { jsonrpc: "2.0", error: { message: expect.any(String) } } });
    expect(door.asked).toEqual([]);
  });

  it("finds nothing at the path of another extension, nor with another method", async () => {
    const door = await open(() => EMPTY);
    expect((await post(door.url.replace("host-resources", "host-secrets"), rpc())).status).toBe(404);
    expect((await post(`${door.url}/x`, rpc())).status).toBe(404);
    expect((await fetch(door.url, { headers: { authorization: `Bearer ${TOKEN}` } })).status).toBe(404);
  });

  it("is served a few at a time when it asks for much at once, and all of it", async () => {
    let [now, most] = [0, 0];
    const big: AskAnswer = { kind: "result", json: rawJson(JSON.stringify({ x: "x".repeat(100_000) })) };
    const door = await open(async () => {
      most = Math.max(most, ++now);
      await new Promise((resolve) => setImmediate(resolve));
      now--;
      return big;
    });
    const answers = await Promise.all(Array.from({ length: 200 }, () => post(door.url, rpc())));
    expect(answers.every(({ status }) => status === 200)).toBe(true);
    expect(most).toBeLessThanOrEqual(4);
  });
});
