/** How much a bundle may ask for through the whole host: how often, how large, and that a restart gives it nothing back. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { FileInfo } from "../kernel/files.ts";
import { ask, LIST, READ, RESOURCES_SERVER, serveResources, WAYS, type Asked } from "./resource-asks-for-tests.ts";
import type { Served } from "./serve-for-tests.ts";
import { apiClient, exportEvidence, whenRunning, type ApiClient } from "./workspace-client-for-tests.ts";

const MIB = 1_048_576;
const BURST = 1000;
const RATE = 100;

let host: Served;
let client: ApiClient;

beforeAll(async () => {
  const again = { args: [RESOURCES_SERVER, "stdio"] };
  // The server tells all that it was answered, which the host would keep as a file else.
  const config = { mcp: { maxResultBytes: 40_000_000 } };
  host = await serveResources({ config, bundles: { flooding: again, restarted: again, other: again } });
  client = apiClient(host.origin, host.key);
});
afterAll(() => host.stop());

const times = (count: number, asked: Asked): Asked[] => Array.from({ length: count }, () => asked);

describe("of 1,500 reads at once", () => {
  it("each is answered: the burst and what time adds to it is served, the rest hears when to ask again", async () => {
    const { uri } = await client.upload("five.txt", "12345");
    const began = Date.now();
    const replies = await ask(client, "flooding", times(1_500, { method: READ, params: { uri } }));
    const elapsedMs = Date.now() - began;
    const refused = replies.filter(({ error }) => error !== undefined);
    const served = replies.filter(({ result }) => result !== undefined);
    expect(replies).toHaveLength(1_500);
    expect(served.length + refused.length).toBe(1_500);
    expect(served.length).toBeGreaterThanOrEqual(BURST);
    expect(served.length).toBeLessThanOrEqual(BURST + Math.ceil((elapsedMs * RATE) / 1000));
    for (const { result } of served)
      expect(result).toEqual({ contents: [{ uri, mimeType: "text/plain", text: "12345" }] });
    for (const { error } of refused) {
      const { retryAfterMs = 0 } = (error?.data ?? {}) as { retryAfterMs?: number };
      expect([error?.code, error?.data]).toEqual([-32004, { retryAfterMs }]);
      // A token is there every 10 ms, so that nobody has to wait longer.
      expect(Number.isInteger(retryAfterMs) && retryAfterMs >= 1 && retryAfterMs <= 1000 / RATE).toBe(true);
    }
    // Refusals of one kind are counted, and told when the bundle stops at the latest.
    await client.ask("POST", "/v1/apps/flooding/stop");
    const { events } = await exportEvidence(host);
    const uses = events.filter(({ event_type: type, payload }) => {
      const { provider } = (payload["bundle"] ?? {}) as { provider?: string };
      return type === "dev.bailiwick.extension_used" && provider === "flooding";
    });
    const count = (code: number | null): number =>
      uses
        .filter(({ payload }) => payload["code"] === code)
        .reduce((sum, { payload }) => sum + ((payload["times"] as number | null | undefined) ?? 1), 0);
    expect([count(null), count(-32004)]).toEqual([served.length, refused.length]);
  });
});

describe("a bundle that has used up its share", () => {
  it("has no more of it after a restart, while another of the same server has its own", async () => {
    const list = { method: LIST };
    const began = Date.now();
    const first = await ask(client, "restarted", times(1_500, list));
    const { status } = await client.ask("POST", "/v1/apps/restarted/restart");
    expect(status).toBe(200);
    await whenRunning(client, "restarted");
    const again = await ask(client, "restarted", times(1_500, list));
    const elapsedMs = Date.now() - began;
    const count = (replies: typeof first): number => replies.filter(({ result }) => result !== undefined).length;
    expect(count(first)).toBeGreaterThanOrEqual(BURST);
    expect(count(first) + count(again)).toBeLessThanOrEqual(BURST + Math.ceil((elapsedMs * RATE) / 1000));
    expect((await ask(client, "other", [list]))[0]).toHaveProperty("result");
  });
});

describe("a file", () => {
  const bytes = new Uint8Array(10 * MIB).fill(200);
  let most: FileInfo;
  let over: FileInfo;

  beforeAll(async () => {
    most = await client.upload("most.bin", bytes, "application/pdf");
    over = await client.upload("over.bin", new Uint8Array(10 * MIB + 1), "application/pdf");
  });

  it.each(WAYS)("of 10 MiB comes whole over %s, and of one of a byte more the bundle is told the size", async (way) => {
    const reads = [most, over].map(({ uri }) => ({ method: READ, params: { uri } }));
    const [whole, none] = await ask(client, way, reads);
    const [content] = (whole?.result?.contents ?? []) as { blob: string }[];
    expect(Buffer.from(content?.blob ?? "", "base64").equals(bytes)).toBe(true);
    expect({ ...content, blob: "" }).toEqual({ uri: most.uri, mimeType: "application/pdf", blob: "" });
    const data = { uri: over.uri, size: 10 * MIB + 1, maxSize: 10 * MIB };
    expect(none?.error).toMatchObject({ code: -32005, data });
  });
});
