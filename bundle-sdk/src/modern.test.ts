import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { createMcpHandler, McpServer } from "@modelcontextprotocol/server";
import { afterEach, describe, expect, it } from "vitest";
import { host } from "./host.ts";
import type { Use } from "./linked-servers-for-tests.ts";
import { ADVERTISED } from "./played-host-for-tests.ts";
import { ResourceNotFound } from "./resource-not-found.ts";

const KEY = "ai.nimblebrain/host-resources";
const URI = "files://fl_0123456789abcdef01234567";
const servers: Server[] = [];

interface Posted {
  readonly authorization: string | undefined;
  readonly body: object;
}

interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The host's door for such requests, on a real listener. */
const openDoor = async (answer: Answer): Promise<{ endpoint: string; posted: Posted[] }> => {
  const posted: Posted[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => (body += text));
    request.on("end", () => {
      posted.push({ authorization: request.headers.authorization, body: JSON.parse(body) });
      response.writeHead(answer.status ?? 200, { "content-type": "application/json", ...answer.headers });
      response.end(answer.body);
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  servers.push(server);
  return { endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}/ext/host-resources`, posted };
};

afterEach(async () => {
  await Promise.all(
    servers.splice(0).map(
      (server) =>
        new Promise((resolve) => {
          server.close(resolve);
          server.closeAllConnections();
        }),
    ),
  );
});

/** One call of a tool on a stateless server, as a host of the modern era sends it. */
const callTool = async (use: Use, meta: object, capabilities: object = { extensions: ADVERTISED }): Promise<string> => {
  const handler = createMcpHandler(() => {
    const server = new McpServer({ name: "modern", version: "1.0.0" });
    server.registerTool("read", {}, async (ctx) => {
      expect(host(server).available).toBe(false);
      return { content: [{ type: "text", text: await use(host(ctx)) }] };
    });
    return server;
  });
  const _meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "played", version: "1.0.0" },
    "io.modelcontextprotocol/clientCapabilities": capabilities,
    ...meta,
  };
  const response = await handler.fetch(
    new Request("http://127.0.0.1/mcp", {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        "mcp-protocol-version": "2026-07-28",
        "mcp-method": "tools/call",
        "mcp-name": "read",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: "read", arguments: {}, _meta },
      }),
    }),
  );
  const text = await response.text();
  const json = text.startsWith("{") ? text : (/^data: (\{.*)$/m.exec(text)?.[1] ?? "{}");
  const { result, error } = JSON.parse(json);
  if (error !== undefined) throw new Error(JSON.stringify(error));
  return result.content[0].text;
};

const errorOf: Use = async (h) =>
  h.read(URI).then(
    () => "none",
    (error: Error) => `${error.name} ${String((error as { code?: unknown }).code)} ${error.message}`,
  );

const probe: Use = (h) => JSON.stringify([h.available, h.listAvailable, h.supportsScheme("files")]);

describe("a server that cannot send requests", () => {
  it("reads over HTTP with the token that came with its call", async () => {
    const contents = [{ uri: URI, mimeType: "text/plain", text: "ä seed" }];
    const { endpoint, posted } = await openDoor({
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, result: { contents } }),
    });
    const text = await callTool(async (h) => JSON.stringify(await h.read(URI)), { [KEY]: { endpoint, token: "t1" } });
    expect(JSON.parse(text)).toEqual({ contents });
    expect(posted).toEqual([
      {
        authorization: "Bearer t1",
        body: { jsonrpc: "2.0", id: 1, method: "ai.nimblebrain/resources/read", params: { uri: URI } },
      },
    ]);
  });

  it("gets the host's errors as such", async () => {
    const error = { code: -32002, message: "Resource not found", data: { uri: URI } };
    const { endpoint } = await openDoor({ body: JSON.stringify({ jsonrpc: "2.0", id: 1, error }) });
    const meta = { [KEY]: { endpoint, token: "t1" } };
    const isKind: Use = async (h) =>
      String((await h.read(URI).catch((thrown: unknown) => thrown)) instanceof ResourceNotFound);
    expect(await callTool(isKind, meta)).toBe("true");
    expect(await callTool(errorOf, meta)).toBe("ResourceNotFound -32002 Resource not found");
  });

  it("hears that its token is used up", async () => {
    const { endpoint } = await openDoor({ status: 401, body: "{}" });
    expect(await callTool(errorOf, { [KEY]: { endpoint, token: "old" } })).toContain("Call the tool again");
  });

  it.each(["", "no JSON", "[]", '{"error":"no"}'])("hears that the answer %j cannot be used", async (body) => {
    const { endpoint } = await openDoor({ body });
    expect(await callTool(errorOf, { [KEY]: { endpoint, token: "t1" } })).toContain("HostResourceError -32603");
  });

  it("does not carry its token to another address", async () => {
    const other = await openDoor({ body: "{}" });
    const { endpoint } = await openDoor({ status: 307, headers: { location: other.endpoint }, body: "" });
    expect(await callTool(errorOf, { [KEY]: { endpoint, token: "t1" } })).toMatch(/^TypeError/);
    expect(other.posted).toEqual([]);
  });

  it("sends nothing to find out what is offered", async () => {
    const { endpoint, posted } = await openDoor({ body: "{}" });
    expect(await callTool(probe, { [KEY]: { endpoint, token: "t1" } })).toBe("[true,true,true]");
    expect(await callTool(probe, { [KEY]: { endpoint, token: "t1" } }, {})).toBe("[false,false,false]");
    expect(posted).toEqual([]);
  });

  it.each([
    undefined,
    null,
    {},
    { endpoint: "/ext", token: "t" },
    { endpoint: "file:///etc/passwd", token: "t" },
    { endpoint: "http://h" },
  ])("finds nothing available where there is no way to ask (%j)", async (given) => {
    expect(await callTool(probe, { [KEY]: given })).toBe("[false,false,true]");
    expect(await callTool(errorOf, { [KEY]: given })).toContain("HostCapabilityMissing");
  });
});
