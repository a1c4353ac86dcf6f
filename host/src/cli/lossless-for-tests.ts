/** A host over the fixture in both eras and on both wires, and a client that sends and reads plain text over HTTP. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request, type IncomingHttpHeaders } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { answersOf } from "./lossless-texts-for-tests.ts";
import { startServer } from "./real-parts-for-tests.ts";
import { FIXTURES, serve, type Served } from "./serve-for-tests.ts";

export const UPSTREAMS = ["legacy-stdio", "legacy-http", "modern-stdio", "modern-http"] as const;
const SERVER = join(FIXTURES, "lossless-server.mjs");
const MODERN = "2026-07-28";

export const serveLossless = async (): Promise<Served> => {
  const dir = mkdtempSync(join(tmpdir(), "bailiwick-lossless-"));
  const argsOf = (name: string): string[] => {
    const [era = "", wire = ""] = name.split("-");
    const file = join(dir, `${name}.json`);
    writeFileSync(file, JSON.stringify(answersOf(name)));
    return [SERVER, wire, era, file];
  };
  const servers = await Promise.all(["legacy-http", "modern-http"].map((name) => startServer(argsOf(name))));
  const clear = (): void => {
    for (const server of servers) server.process.kill("SIGKILL");
    rmSync(dir, { recursive: true, force: true });
  };
  try {
    const served = await serve({
      bundles: { "legacy-stdio": { args: argsOf("legacy-stdio") }, "modern-stdio": { args: argsOf("modern-stdio") } },
      remotes: { "legacy-http": servers[0]?.url ?? "", "modern-http": servers[1]?.url ?? "" },
    });
    return { ...served, stop: () => served.stop().finally(clear) };
  } catch (error) {
    clear();
    throw error;
  }
};

export interface RawRequest {
  readonly method: string;
  /** The members of params as text, without `_meta`. */
  readonly params?: string;
  /** The members of `_meta` as text. */
  readonly meta?: string;
  /** What `Mcp-Name` says in the modern era. */
  readonly name?: string;
}

export interface RawAnswer {
  readonly status: number;
  /** The text of `result` or of `error`, with the member's name before it. */
  readonly said: string;
  /** The messages that came before the answer. */
  readonly notices: readonly string[];
}

export type Ask = (request: RawRequest) => Promise<RawAnswer>;

const send = (url: string, headers: Readonly<Record<string, string>>, body: string) =>
  new Promise<{ status: number; headers: IncomingHttpHeaders; body: string }>((resolve, reject) => {
    const outgoing = request(url, { method: "POST", headers }, (response) => {
      text(response).then(
        (said) => resolve({ status: response.statusCode ?? 0, headers: response.headers, body: said }),
        reject,
      );
    });
    outgoing.on("error", reject).end(body);
  });

const messagesOf = (type: string | undefined, body: string): string[] =>
  type?.startsWith("text/event-stream")
    ? body.split("\n").flatMap((line) => (line.startsWith("data: {") ? [line.slice("data: ".length)] : []))
    : [body];

const read = (answer: { status: number; headers: IncomingHttpHeaders; body: string }): RawAnswer => {
  const messages = messagesOf(answer.headers["content-type"], answer.body);
  const last = messages.pop() ?? "";
  const head = `{"jsonrpc":"2.0","id":"\\u0069d",`;
  const said = last.startsWith(head) && last.endsWith("}") ? last.slice(head.length, -1) : `no answer: ${last}`;
  return { status: answer.status, said, notices: messages };
};

const bodyOf = ({ method, params = "" }: RawRequest, meta: string): string => {
  const members = [params, meta === "" ? "" : `"_meta":{${meta}}`].filter((part) => part !== "");
  return `{"jsonrpc":"2.0","id":"\\u0069d","method":"${method}","params":{${members.join(",")}}}`;
};

const headersOf = (key: string): Record<string, string> => ({
  Authorization: `Bearer ${key}`,
  "Content-Type": "application/json",
  Accept: "application/json, text/event-stream",
});

export const openLegacy = async (url: string, key: string): Promise<Ask> => {
  const params = '"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"raw","version":"1"}';
  const opened = await send(url, headersOf(key), bodyOf({ method: "initialize", params }, ""));
  const session = { "Mcp-Session-Id": String(opened.headers["mcp-session-id"]), "MCP-Protocol-Version": "2025-11-25" };
  await send(url, { ...headersOf(key), ...session }, '{"jsonrpc":"2.0","method":"notifications/initialized"}');
  return async (asked) => read(await send(url, { ...headersOf(key), ...session }, bodyOf(asked, asked.meta ?? "")));
};

export const openModern = (url: string, key: string): Promise<Ask> => {
  const envelope =
    `"io.modelcontextprotocol/protocolVersion":"${MODERN}","io.modelcontextprotocol/clientCapabilities":{},` +
    `"io.modelcontextprotocol/logLevel":"info"`;
  return Promise.resolve(async (asked) => {
    const named: Record<string, string> = asked.name === undefined ? {} : { "Mcp-Name": asked.name };
    const headers = { ...headersOf(key), "MCP-Protocol-Version": MODERN, "Mcp-Method": asked.method, ...named };
    const meta = asked.meta === undefined ? envelope : `${envelope},${asked.meta}`;
    return read(await send(url, headers, bodyOf(asked, meta)));
  });
};
