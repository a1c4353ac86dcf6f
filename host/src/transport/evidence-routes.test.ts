import { request, type IncomingMessage } from "node:http";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { Archive, EventQuery, ExportQuery } from "../kernel/archive.ts";
import { Refusal } from "../kernel/refusal.ts";
import { JSON_HEADERS, knock, type Said } from "./client-for-tests.ts";
import { openTestDoor, OTHER, type TestDoor } from "./door-for-tests.ts";
import { standInGovernance } from "./governance-for-tests.ts";

const governance = standInGovernance();
const queries: (EventQuery | ExportQuery)[] = [];
const made = { parts: 0, ended: 0 };
const PART = "x".repeat(65_536);

/** A log without an end, which counts how much of it was taken. */
async function* endless(): AsyncGenerator<string> {
  try {
    for (;;) {
      made.parts++;
      yield await Promise.resolve(PART);
    }
  } finally {
    made.ended++;
  }
}

/** Fails after so many parts. */
async function* failing(after: number): AsyncGenerator<string> {
  for (let i = 0; i < after; i++) yield await Promise.resolve("part\n");
  throw new Error("secret inside");
}

const partsOf = (correlation: string): AsyncIterable<string> | null => {
  if (correlation === "endless") return endless();
  if (correlation === "fails-at-once") return failing(0);
  if (correlation === "fails-later") return failing(1);
  return null;
};

const archive: Archive = {
  ...governance.archive,
  events: async (reader, query) => {
    queries.push(query);
    return { ...(await governance.archive.events(reader, query)), before: query.before === undefined ? 7 : null };
  },
  export: (reader, query) => {
    queries.push(query);
    if (query.format === "bundle" && query.correlation === undefined) {
      throw new Refusal("bad_request", { message: "No correlation.", next: "Name one." });
    }
    const parts = partsOf(query.correlation ?? "");
    return parts ? { type: "text/csv", parts } : governance.archive.export(reader, query);
  },
};

let door: TestDoor;
beforeAll(async () => {
  door = await openTestDoor({ deps: { archive } });
});
afterAll(() => door.listener.close());

const get = (path: string, key?: string): Promise<Said> =>
  knock(door.origin, {
    method: "GET",
    path: `/v1/evidence${path}`,
    headers: key === undefined ? JSON_HEADERS : { ...JSON_HEADERS, authorization: `Bearer ${key}` },
  });

/** Gets hold of the answer before it is whole. */
const open = (path: string, key: string): Promise<IncomingMessage> =>
  new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}` };
    request(`${door.origin}/v1/evidence${path}`, { headers, agent: false }, resolve).on("error", reject).end();
  });

describe("events", () => {
  it("are listed with their filters, page by page", async () => {
    const first = await get("?correlation=c&invocation=i&capability=p__t&subject=s&type=t&outcome=success&limit=5");
    expect(first.json).toMatchObject({ events: [{ event_type: "execution_completed" }], nextCursor: "7" });
    expect(queries.at(-1)).toEqual({
      correlation: "c",
      invocation: "i",
      capability: "p__t",
      subject: "s",
      type: "t",
      outcome: "success",
      limit: 5,
    });
    expect((await get("?cursor=7")).json.nextCursor).toBeNull();
    expect(queries.at(-1)).toEqual({ limit: 100, before: 7 });
  });

  it.each(["?tool=x", "?limit=0", "?limit=1001", "?cursor=-1", "?cursor=x", "?type=", "?type=a&type=b"])(
    "%s is a bad request and shows nothing",
    async (query) => {
      const before = queries.length;
      expect(await get(query)).toMatchObject({ status: 400, json: { error: "bad_request" } });
      expect(queries.length).toBe(before);
    },
  );

  it("are shown one by one to who may see them", async () => {
    const id = `evt_c1_${"0".repeat(64)}`;
    expect((await get(`/${id}`)).json).toMatchObject({ event_id: id });
    expect(await get(`/${id}`, OTHER)).toMatchObject({ status: 404, json: { error: "not_found" } });
    expect((await get("/none")).status).toBe(404);
  });

  it("are traced and verified by correlation", async () => {
    expect((await get("/trace/a%2Fb%20c")).json).toMatchObject({ correlation_id: "a/b c" });
    expect((await get("/verify?correlation=corr_known")).json).toMatchObject({ valid: true, event_count: 1 });
    expect(await get("/verify")).toMatchObject({
      status: 400,
      json: { remedy: expect.stringContaining("?correlation") },
    });
  });
});

describe("an export", () => {
  it("comes as a file of its type", async () => {
    const said = await get("/export?format=otel&correlation=corr_known&from=1&to=9&payloads=false");
    expect(said.json).toMatchObject({ correlation_id: "corr_known", events: [{ sequence: 1 }] });
    expect(said.headers["content-disposition"]).toBe('attachment; filename="evidence.otlp.json"');
    expect(queries.at(-1)).toEqual({ format: "otel", correlation: "corr_known", from: 1, to: 9, payloads: false });
    await get("/export");
    expect(queries.at(-1)).toEqual({ format: "jsonl", payloads: true });
  });

  it.each([
    "?format=xml",
    "?format=bundle",
    "?payloads=no",
    "?from=x",
    "?until=3",
    "?correlation=corr_known&from=1",
    "?format=bundle&correlation=corr_known&to=9",
  ])("%s is a bad request", async (query) => {
    expect(await get(`/export${query}`)).toMatchObject({ status: 400, json: { error: "bad_request" } });
  });

  it("is made no faster than it is read, and ends when the reader leaves", async () => {
    made.parts = 0;
    const answer = await open("/export?correlation=endless", "owner-key");
    answer.pause();
    let before = -1;
    await vi.waitFor(
      () => {
        const moved = made.parts - before;
        before = made.parts;
        expect(moved).toBe(0);
      },
      { interval: 200, timeout: 5000 },
    );
    expect(made.parts).toBeLessThan(1000);
    const { ended } = made;
    answer.destroy();
    await vi.waitFor(() => expect(made.ended).toBe(ended + 1));
  });

  it("ends when its key is revoked", async () => {
    door.principals.set("short", { ...door.principals.get(OTHER)!, id: "person:short" });
    const answer = await open("/export?correlation=endless", "short");
    const cut = new Promise((resolve) => {
      answer.once("error", resolve);
    });
    answer.resume();
    door.principals.delete("short");
    expect(await cut).toMatchObject({ code: "ECONNRESET" });
  });

  it("that fails before its first part is answered, and later is cut rather than ended", async () => {
    const bugs = door.bugs.length;
    const said = await get("/export?correlation=fails-at-once");
    expect(said).toMatchObject({ status: 500, json: { error: "internal" } });
    expect(said.text).not.toContain("secret");
    await expect(get("/export?correlation=fails-later")).rejects.toThrow(/aborted|hang up/);
    expect(door.bugs.length).toBe(bugs + 2);
  });
});
