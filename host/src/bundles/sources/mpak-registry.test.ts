/** An mpak registry as the host meets it: a real web server, honest, broken or hostile. */
import { createHash } from "node:crypto";
import { existsSync, readdirSync, rmSync } from "node:fs";
import type { ServerResponse } from "node:http";
import { join } from "node:path";
import { expect, test } from "vitest";
import type { Refusal } from "../../kernel/refusal.ts";
import { makeWorkDir } from "../bundles-for-tests.ts";
import type { LocateProgress } from "../located.ts";
import { readManifest } from "../read-manifest.ts";
import { makeArchive } from "./archive-for-tests.ts";
import {
  makeSources,
  nameEntry,
  order,
  sendJson,
  startRegistry,
  storeOf,
  type TestRegistry,
} from "./sources-for-tests.ts";

const sha256 = (bytes: Buffer): string => createHash("sha256").update(bytes).digest("hex");

interface Shop {
  readonly versions: Readonly<Record<string, Buffer>>;
  readonly latest?: string;
  readonly detail?: Readonly<Record<string, unknown>>;
  readonly claimedHash?: string;
  /** In place of the archive's bytes. */
  readonly file?: (response: ServerResponse, path: string) => void;
}

const openShop = (shop: Shop): Promise<TestRegistry> =>
  startRegistry((request, response, url) => {
    const { versions } = shop;
    const latest = shop.latest ?? Object.keys(versions)[0] ?? "";
    if (url.pathname === "/v1/bundles/@acme/echo") {
      const listed = Object.keys(versions).map((version) => ({ version }));
      return sendJson(response, { name: "@acme/echo", latest_version: latest, versions: listed, ...shop.detail });
    }
    const asked = /^\/v1\/bundles\/@acme\/echo\/versions\/([^/]+)\/download$/.exec(url.pathname)?.[1];
    const bytes = versions[asked ?? ""];
    if (bytes !== undefined && request.headers.accept === "application/json") {
      const { os, arch } = Object.fromEntries(url.searchParams);
      if (os !== "linux" || arch !== "x64") return sendJson(response, {}, 404);
      const facts = { name: "@acme/echo", version: asked, platform: { os, arch }, size: bytes.length };
      return sendJson(response, {
        url: `/files/${asked}`,
        bundle: { ...facts, sha256: shop.claimedHash ?? sha256(bytes) },
      });
    }
    if (!url.pathname.startsWith("/files/")) return sendJson(response, { error: "not found" }, 404);
    if (shop.file !== undefined) return shop.file(response, url.pathname);
    response.end(versions[url.pathname.slice("/files/".length)]);
  });

const sourcesOf = (dir: string, url: string, more = {}): ReturnType<typeof makeSources> =>
  makeSources(dir, { registries: [{ type: "mpak", url }], platform: "linux", arch: "x64", ...more });

const refused = async (dir: string, url: string, more = {}): Promise<Refusal> => {
  const refusal: unknown = await sourcesOf(dir, url, more)
    .locate(nameEntry("@acme/echo"), order())
    .catch((error: unknown) => error);
  expect(refusal).toMatchObject({ kind: "install_refused" });
  expect(storeOf(dir)).toEqual([]);
  expect(existsSync(join(dir, "workspaces"))).toBe(false);
  return refusal as Refusal;
};

test("the newest is resolved, downloaded, checked and unpacked once; later starts ask nobody", async () => {
  const dir = makeWorkDir();
  const bytes = await makeArchive("@acme/echo", "1.3.0", { "big.bin": { text: "x".repeat(100_000) } });
  const shop = await openShop({
    versions: { "1.2.0": await makeArchive("@acme/echo", "1.2.0"), "1.3.0": bytes },
    latest: "1.3.0",
    detail: { certification_level: 2, certification: { level: 2, level_name: "Standard" } },
  });
  const heard: LocateProgress[] = [];
  const { locate } = sourcesOf(dir, `${shop.url}/`);
  const located = await locate(nameEntry("@acme/echo"), order({ onProgress: (progress) => heard.push(progress) }));
  expect(located).toEqual({
    directory: join(dir, "bundles", "@acme", "echo", `1.3.0-${sha256(bytes).slice(0, 12)}`),
    manifest: null,
    digest: `sha256:${sha256(bytes)}`,
    cached: false,
    origin: `mpak ${shop.url}/`,
    trustScore: null,
    certificationLevel: "Standard",
  });
  expect((await readManifest({ located, profile: "strict", offered: [] })).manifest.version).toBe("1.3.0");
  expect(heard[0]).toEqual({ message: "downloading @acme/echo 1.3.0", bytes: 0, total: bytes.length });
  expect(heard).toContainEqual({ message: "downloading @acme/echo 1.3.0", bytes: bytes.length, total: bytes.length });
  expect(shop.asked).toEqual([
    "/v1/bundles/@acme/echo",
    "/v1/bundles/@acme/echo/versions/1.3.0/download?os=linux&arch=x64",
    "/files/1.3.0",
  ]);
  await expect(sourcesOf(dir, `${shop.url}/`).locate(nameEntry("@acme/echo"), order())).resolves.toEqual({
    ...located,
    cached: true,
  });
  expect(shop.asked).toHaveLength(3);
});

test("a version is taken as asked for, and a score that is published is kept", async () => {
  const dir = makeWorkDir();
  const shop = await openShop({
    versions: { "2.0.0": await makeArchive("@acme/echo", "2.0.0"), "1.0.0": await makeArchive("@acme/echo", "1.0.0") },
    detail: { trust_score: 87 },
  });
  const { locate } = sourcesOf(dir, shop.url);
  const located = await locate(nameEntry("@acme/echo", { version: "1.0.0" }), order());
  expect(located.directory).toContain("/1.0.0-");
  expect(located).toMatchObject({ trustScore: 87, certificationLevel: null });
  await expect(locate(nameEntry("@acme/echo", { version: "9.0.0" }), order())).rejects.toThrow(/9\.0\.0 was not found/);
});

test("files that vanished are fetched again in the version they had, and must be the same", async () => {
  const dir = makeWorkDir();
  const versions: Record<string, Buffer> = { "1.0.0": await makeArchive("@acme/echo", "1.0.0") };
  const shop = { versions, latest: "1.0.0" };
  const { url } = await openShop(shop);
  const { locate } = sourcesOf(dir, url);
  const first = await locate(nameEntry("@acme/echo"), order());
  versions["2.0.0"] = await makeArchive("@acme/echo", "2.0.0");
  shop.latest = "2.0.0";
  rmSync(first.directory, { recursive: true });
  await expect(locate(nameEntry("@acme/echo"), order())).resolves.toEqual(first);
  rmSync(first.directory, { recursive: true });
  versions["1.0.0"] = await makeArchive("@acme/echo", "1.0.0", { "changed.js": { text: "x" } });
  await expect(locate(nameEntry("@acme/echo"), order())).rejects.toMatchObject({
    details: { expected: first.digest, actual: `sha256:${sha256(versions["1.0.0"])}` },
  });
  const { directory } = await locate(nameEntry("@acme/echo"), order({ fresh: "newest" }));
  expect(directory).toContain("/2.0.0-");
});

test("bytes that are not those of the registry's digest are refused, with both digests", async () => {
  const bytes = await makeArchive("@acme/echo", "1.0.0");
  const claimedHash = "0".repeat(64);
  const { url } = await openShop({ versions: { "1.0.0": bytes }, claimedHash });
  const refusal = await refused(makeWorkDir(), url);
  expect(refusal.message).toContain(`expected sha256:${claimedHash}, found sha256:${sha256(bytes)}`);
});

test("a machine that it is not built for is told", async () => {
  const { url } = await openShop({ versions: { "1.0.0": await makeArchive("@acme/echo", "1.0.0") } });
  const refusal = await refused(makeWorkDir(), url, { arch: "riscv64" });
  expect(refusal.message).toMatch(/has @acme\/echo 1\.0\.0, but not for this machine \(linux riscv64\)/);
});

test.each<[what: string, to: string, why: RegExp]>([
  ["a metadata address", "http://169.254.169.254/latest", /169\.254\.169\.254 is a cloud metadata address/],
  ["a metadata address in disguise", "http://[::ffff:a9fe:a9fe]/", /cloud metadata address/],
  ["a metadata name", "http://metadata.google.internal/", /cloud metadata name/],
  ["a private address", "http://10.1.2.3/x", /10\.1\.2\.3 is a private address/],
  ["another protocol", "file:///etc/passwd", /only https URLs/],
  ["a user name", "http://user:pass@127.0.0.1/", /carries a user name or password/],
  ["what is no URL", "http://", /redirects to what is no URL/],
])("a download that is redirected to %s is refused", async (_what, to, why) => {
  const { url } = await openShop({
    versions: { "1.0.0": await makeArchive("@acme/echo", "1.0.0") },
    file: (response) => response.writeHead(302, { location: to }).end(),
  });
  const refusal = await refused(makeWorkDir(), url);
  expect(refusal.message).toMatch(/could not be downloaded from http:\/\/127\.0\.0\.1/);
  expect(refusal.message).toMatch(why);
});

test("three redirects are followed, over other origins too and without credentials; a fourth is not", async () => {
  const bytes = await makeArchive("@acme/echo", "1.0.0");
  const seen: (string | undefined)[] = [];
  const other = await startRegistry((request, response) => {
    seen.push(request.headers.authorization, request.headers.cookie);
    response.end(bytes);
  });
  let hops = 3;
  const shop = await openShop({
    versions: { "1.0.0": bytes },
    file: (response, path) => {
      const hop = Number(/\d+$/.exec(path)?.[0] ?? 0);
      const to = hop + 1 >= hops ? `${other.url}/end` : `/files/hop${hop + 1}`;
      response.writeHead(307, { location: to, "set-cookie": "a=b" }).end();
    },
  });
  await sourcesOf(makeWorkDir(), shop.url).locate(nameEntry("@acme/echo"), order());
  expect(seen).toEqual([undefined, undefined]);
  hops = 4;
  expect((await refused(makeWorkDir(), shop.url)).message).toMatch(/redirects more than 3 times/);
});

test("without allowInsecureRemotes neither http nor this machine is asked", async () => {
  const shop = await openShop({ versions: {} });
  const rules = { allowInsecureRemotes: false, allowPrivateRemotes: [] };
  expect((await refused(makeWorkDir(), shop.url, { rules })).message).toMatch(/it is not https/);
  const loopback = await refused(makeWorkDir(), "https://127.0.0.1:1", { rules });
  expect(loopback.message).toMatch(/loopback address/);
  expect((await refused(makeWorkDir(), "https://localhost:1", { rules })).message).toMatch(/loopback address/);
  expect(shop.asked).toEqual([]);
});

test.each<[what: string, send: (response: ServerResponse) => void, why: RegExp]>([
  [
    "is cut off",
    (response) => {
      response.writeHead(200, { "content-length": 10_000 });
      response.write("PK");
      setTimeout(() => response.destroy(), 20);
    },
    /could not be downloaded/,
  ],
  ["stands still", (response) => void response.writeHead(200).write("PK"), /could not be downloaded/],
  ["fails", (response) => void response.writeHead(500).end(), /HTTP status 500/],
  [
    "says that it is small and is not",
    (response) => {
      response.writeHead(200, { "transfer-encoding": "chunked" });
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
        if (!response.destroyed) response.once("drain", more);
      };
      more();
    },
    /more than 300000 bytes/,
  ],
])("a download that %s is refused", async (_what, file, why) => {
  const { url } = await openShop({ versions: { "1.0.0": await makeArchive("@acme/echo", "1.0.0") }, file });
  const refusal = await refused(makeWorkDir(), url, { limits: { idleMs: 500, maxBytes: 300_000 } });
  expect(refusal.message).toMatch(why);
});

test("a person who gives up ends the download", async () => {
  const stop = new AbortController();
  const file = (response: ServerResponse): void => {
    response.writeHead(200).write("PK");
    stop.abort(new Error("enough"));
  };
  const { url } = await openShop({ versions: { "1.0.0": await makeArchive("@acme/echo", "1.0.0") }, file });
  const dir = makeWorkDir();
  const going = sourcesOf(dir, url).locate(nameEntry("@acme/echo"), order({ signal: stop.signal }));
  await expect(going).rejects.toThrow("enough");
  expect(readdirSync(join(dir, "bundles", ".tmp"))).toEqual([]);
});

test.each<[what: string, answer: (response: ServerResponse) => void, why: RegExp]>([
  ["no JSON", (response) => void response.end("<html>"), /its answer is not JSON/],
  ["no object", (response) => sendJson(response, [1]), /not a JSON object/],
  ["an error", (response) => sendJson(response, {}, 503), /HTTP status 503/],
  ["too much", (response) => sendJson(response, { x: "y".repeat(50_000) }), /too large/],
  ["nothing at all", () => {}, /did not answer within 700 ms/],
  ["no version", (response) => sendJson(response, { latest_version: 7 }), /names no version/],
])(
  "a registry that answers with %s could not be asked, and no later one stands in for it",
  async (_what, answer, why) => {
    const dir = makeWorkDir();
    const first = await startRegistry((_request, response) => answer(response));
    const second = await openShop({ versions: { "1.0.0": await makeArchive("@acme/echo", "1.0.0") } });
    const registries = [
      { type: "mpak", url: first.url },
      { type: "mpak", url: second.url },
    ] as const;
    const refusal = await refused(dir, "", { registries, limits: { answerMs: 700, maxAnswerBytes: 10_000 } });
    expect(refusal.message).toMatch(why);
    expect(refusal.message).toContain(`mpak ${first.url} could not be asked`);
    expect(second.asked).toEqual([]);
  },
);

test("a registry that does not have it passes the question on", async () => {
  const empty = await startRegistry((_request, response) => sendJson(response, {}, 404));
  const full = await openShop({ versions: { "1.0.0": await makeArchive("@acme/echo", "1.0.0") } });
  const registries = [empty, full].map(({ url }) => ({ type: "mpak" as const, url }));
  const { origin } = await makeSources(makeWorkDir(), { registries, platform: "linux", arch: "x64" }).locate(
    nameEntry("@acme/echo"),
    order(),
  );
  expect(origin).toBe(`mpak ${full.url}`);
});
