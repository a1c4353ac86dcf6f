/** A plain HTTP client for the tests of this room: every header can be set, nothing is added. */
import { request, type IncomingHttpHeaders } from "node:http";
import { META_CAPABILITIES, META_VERSION, MODERN_VERSION } from "./protocol.ts";
import { OWNER } from "./door-for-tests.ts";

export interface Said {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body as JSON, or the messages of a stream. */
  readonly json: any;
}

export interface Knock {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer | object;
}

export const JSON_HEADERS = {
  authorization: `Bearer ${OWNER}`,
  "content-type": "application/json",
  accept: "application/json, text/event-stream",
};

const parse = (type: string | undefined, text: string): unknown => {
  if (type === "text/event-stream") {
    return [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data ?? "") as unknown);
  }
  return type === "application/json" && text !== "" ? JSON.parse(text) : null;
};

export const knock = (origin: string, { method = "POST", path = "/mcp", headers = JSON_HEADERS, body }: Knock) =>
  new Promise<Said>((resolve, reject) => {
    const bytes = body === undefined || typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const known = bytes !== undefined && !("transfer-encoding" in headers);
    const length = !known ? {} : { "content-length": String(Buffer.byteLength(bytes)) };
    const req = request(origin + path, { method, headers: { ...length, ...headers }, agent: false }, (res) => {
      const chunks: Buffer[] = [];
      res.on("data", (chunk: Buffer) => chunks.push(chunk));
      res.on("error", reject);
      res.on("end", () => {
        const text = Buffer.concat(chunks).toString("utf8");
        const { statusCode: status = 0 } = res;
        resolve({ status, headers: res.headers, text, json: parse(res.headers["content-type"], text) });
      });
    });
    req.on("error", reject);
    req.end(bytes);
  });

/** Opens a legacy session and returns a function that posts in it. */
export const openSession = async (
  origin: string,
  version = "2025-11-25",
  path = "/mcp",
  key = OWNER,
  capabilities: object = {},
) => {
  const auth = { ...JSON_HEADERS, authorization: `Bearer ${key}` };
  const params = { protocolVersion: version, capabilities, clientInfo: { name: "t", version: "1" } };
  const said = await knock(origin, {
    path,
    headers: auth,
    body: { jsonrpc: "2.0", id: 0, method: "initialize", params },
  });
  const id = String(said.headers["mcp-session-id"]);
  const headers = { ...auth, "mcp-session-id": id };
  const post = (body: object | string, extra: Record<string, string> = {}): Promise<Said> =>
    knock(origin, { path, headers: { ...headers, ...extra }, body });
  const call = (method: string, callParams: object = {}, callId: number | string = 1): Promise<Said> =>
    post({ jsonrpc: "2.0", id: callId, method, params: callParams });
  return { id, headers, said, post, call };
};

const ENVELOPE = { [META_VERSION]: MODERN_VERSION, [META_CAPABILITIES]: {} };

/** A modern request with the headers it needs; `headers` and `meta` may spoil them. */
export const modern = (
  method: string,
  params: Record<string, unknown> = {},
  headers: Record<string, string> = {},
): Knock => {
  const { _meta, ...rest } = params;
  const name = params["name"] ?? params["uri"] ?? params["taskId"];
  return {
    headers: {
      ...JSON_HEADERS,
      "mcp-protocol-version": MODERN_VERSION,
      "mcp-method": method,
      ...(typeof name === "string" && { "mcp-name": name }),
      ...headers,
    },
    body: { jsonrpc: "2.0", id: 1, method, params: { ...rest, _meta: { ...ENVELOPE, ...(_meta as object) } } },
  };
};
