/** Packages that a test makes, good and hostile, and registries on loopback that have them. */
import { createHash } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { ZipFile } from "yazl";

/** Its one tool says which version of the package runs. */
const serverOf = (version: string): string => `
import { createInterface } from "node:readline";
const say = (id, result) => console.log(JSON.stringify({ jsonrpc: "2.0", id, result }));
createInterface({ input: process.stdin }).on("line", (line) => {
  const { id, method, params } = JSON.parse(line);
  if (method === "initialize") {
    const { protocolVersion } = params;
    say(id, { protocolVersion, capabilities: { tools: {} }, serverInfo: { name: "it", version: "${version}" } });
  } else if (method === "tools/list") say(id, { tools: [{ name: "which", inputSchema: { type: "object" } }] });
  else if (method === "tools/call") say(id, { content: [{ type: "text", text: "${version}" }] });
  else if (id !== undefined) console.log(JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32601, message: "no" } }));
}).on("close", () => process.exit(0));
`;

export interface PackageOrder {
  readonly name: string;
  readonly version: string;
  /** More of its manifest. */
  readonly manifest?: object;
  /** Further files, with their kind and permissions. */
  readonly files?: readonly { readonly path: string; readonly text: string; readonly mode?: number }[];
}

export const pack = async ({ name, version, manifest = {}, files = [] }: PackageOrder): Promise<Buffer> => {
  const zip = new ZipFile();
  const mcp_config = { command: "node", args: ["${__dirname}/server.mjs"] };
  const whole = {
    manifest_version: "0.3",
    name,
    version,
    description: "A package for tests.",
    author: { name: "tests" },
    server: { type: "node", entry_point: "server.mjs", mcp_config },
    ...manifest,
  };
  zip.addBuffer(Buffer.from(JSON.stringify(whole)), "manifest.json");
  zip.addBuffer(Buffer.from(serverOf(version)), "server.mjs");
  for (const { path, text, mode } of files) zip.addBuffer(Buffer.from(text), path, mode === undefined ? {} : { mode });
  zip.end();
  return buffer(zip.outputStream as Readable);
};

/** The same archive with a file renamed to what no honest program would write; both names are equally long. */
export const rename = (archive: Buffer, from: string, to: string): Buffer => {
  if (from.length !== to.length) throw new Error("the names differ in length");
  return Buffer.from(archive.toString("latin1").replaceAll(from, to), "latin1");
};

export const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

export interface Shelf {
  /** For mpak: by `@scope/name`, newest first. */
  readonly mpak: Map<string, readonly { readonly version: string; readonly bytes: Buffer; readonly sha256?: string }[]>;
  /** For the MCP registry: by name, what `server` is to say. */
  readonly mcp: Map<string, object>;
  /** Served as they are, by path. */
  readonly files: Map<string, Buffer>;
  readonly trustScore: number;
}

export interface Registries {
  readonly url: string;
  readonly asked: string[];
  close(): void;
}

/** One web server that speaks for both kinds of registry. */
export const openRegistries = async (shelf: Shelf): Promise<Registries> => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? "");
    const answer = answerFor(shelf, new URL(request.url ?? "/", "http://registry"));
    response.writeHead(answer === null ? 404 : 200);
    response.end(Buffer.isBuffer(answer) ? answer : JSON.stringify(answer ?? { error: "not found" }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const close = (): void => {
    server.closeAllConnections();
    server.close();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked, close };
};

const answerFor = (shelf: Shelf, { pathname, searchParams }: URL): Buffer | object | null => {
  const file = shelf.files.get(pathname);
  if (file !== undefined) return file;
  if (pathname === "/v1/bundles/search") {
    const names = [...shelf.mpak.keys()].filter((name) => name.includes(searchParams.get("q") ?? ""));
    return { bundles: names.map((name) => ({ name, latest_version: shelf.mpak.get(name)?.[0]?.version })) };
  }
  if (pathname === "/v0.1/servers") {
    const names = [...shelf.mcp.keys()].filter((name) => name.includes(searchParams.get("search") ?? ""));
    return { servers: names.map((name) => ({ server: shelf.mcp.get(name) })), metadata: {} };
  }
  const server = /^\/v0\.1\/servers\/([^/]+)\/versions\/[^/]+$/.exec(pathname)?.[1];
  const described = server === undefined ? undefined : shelf.mcp.get(decodeURIComponent(server));
  if (described !== undefined) return { server: described, _meta: {} };
  const [, name = "", version] =
    /^\/v1\/bundles\/(@[^/]+\/[^/]+)(?:\/versions\/([^/]+)\/download)?$/.exec(pathname) ?? [];
  const versions = shelf.mpak.get(name);
  if (versions === undefined) return null;
  if (version === undefined) {
    return { name, latest_version: versions[0]?.version, versions, trust_score: shelf.trustScore };
  }
  const found = versions.find((each) => each.version === version);
  if (found === undefined) return null;
  shelf.files.set(`/files/${name}/${version}`, found.bytes);
  const facts = { name, version, size: found.bytes.length, sha256: found.sha256 ?? sha256(found.bytes) };
  return { url: `/files/${name}/${version}`, bundle: facts };
};
