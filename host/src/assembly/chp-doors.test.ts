/** Where CHP is found and what is told there: two addresses, the documents at the root, metrics, and nothing to strangers. */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Json } from "../kernel/chp-client-for-tests.ts";
import { openChpPlace, type ChpPlace } from "./chp-place-for-tests.ts";

let place: ChpPlace;
beforeAll(async () => {
  place = await openChpPlace({ chp: { publicDiscovery: ["conformance__echo"] } });
});
afterAll(() => place.close());

const IDS = ["approval", "budgeted", "echo", "fail", "guarded", "risky", "stream", "unsafe"].map(
  (name) => `conformance.${name}`,
);
const idsOf = ({ capabilities }: Json): string[] =>
  capabilities.map(({ id }: Json) => String(id)).filter((id: string) => id.startsWith("conformance."));

const at = async (url: string, headers: Record<string, string> = {}): Promise<{ status: number; text: string }> => {
  const said = await fetch(url, { headers });
  return { status: said.status, text: await said.text() };
};

describe("two addresses", () => {
  it("are one door: what is called at one is evidence at the other", async () => {
    const correlation = { correlation: { correlation_id: "both" } };
    expect(await place.mounted.invoke("conformance.echo", { value: 1 }, correlation)).toMatchObject({ success: true });
    expect(await place.own.types("both")).toEqual(["execution_started", "execution_completed"]);
    const [one, other] = [await place.mounted.get("/host"), await place.own.get("/host")];
    expect(one.json).toEqual(other.json);
  });

  it("the second one has CHP alone", async () => {
    const { origin } = place.own;
    const bearer = { authorization: `Bearer ${place.owner}` };
    for (const path of ["/v1/tools", "/mcp", "/chp/host", "/v1/approvals"]) {
      expect((await at(origin + path, bearer)).status).toBe(404);
    }
    expect((await at(`${origin}/health`)).status).toBe(200);
    expect((await at(`${place.origin}/chp/health`)).status).toBe(200);
    expect((await at(`${place.origin}/health`)).status).toBe(404);
  });

  it.each([
    "/host",
    "/capabilities",
    "/replay/x",
    "/verify/x",
    "/export/x",
    "/head",
    "/metrics",
    "/witnesses",
    "/anchors",
  ])("%s is for those with a key", async (path) => {
    for (const key of [null, "wrong"]) {
      for (const door of [place.own, place.mounted]) {
        const said = await door.get(path, { key });
        expect([said.status, said.json["error"].code]).toEqual([401, "unauthorized"]);
      }
    }
  });

  it("health and identity are for everybody, and tell nothing about tools", async () => {
    for (const door of [place.own, place.mounted]) {
      const health = (await door.get("/health", { key: null })).json;
      expect(health).toEqual({
        status: "ok",
        host_id: "conformance-host",
        protocol: "chp",
        version: "0.2",
        host_version: expect.any(String),
      });
      expect((await door.get("/", { key: null })).json).toEqual(health);
      const identity = await door.get("/.well-known/chp-identity", { key: null });
      expect(identity.text).not.toContain("conformance.echo");
    }
  });
});

describe("the documents by which it is found", () => {
  it("stand at the root of the site and under the mount, all of one registry", async () => {
    const key = { "x-chp-key": "k" };
    expect(idsOf((await place.own.get("/host")).json)).toEqual(expect.arrayContaining(IDS));
    for (const base of [place.origin, `${place.origin}/chp`, place.own.origin]) {
      const found = JSON.parse((await at(`${base}/.well-known/capabilities.json`, key)).text) as Json;
      expect(found["version"]).toBe("1");
      expect(idsOf(found).toSorted()).toEqual(IDS);
      const text = (await at(`${base}/capabilities.txt`, key)).text.split("\n");
      expect(text[0]).toBe("# capabilities.txt");
      expect(text[1]).toMatch(/^> .*\[manifest\]\(/);
      for (const id of IDS) expect(text.filter((line) => line.startsWith(`- ${id} (v1.0.0) — `))).toHaveLength(1);
      expect((await at(`${base}/.well-known/chp-identity`)).status).toBe(200);
    }
    const own = (await place.own.get("/capabilities.json")).json;
    expect(own).toMatchObject({ chp: "0.2", host: { id: "conformance-host" } });
  });

  it("show a stranger what is public, and a key what it may name", async () => {
    for (const path of ["/.well-known/capabilities.json", "/capabilities.json"]) {
      expect(idsOf((await place.own.get(path, { key: null })).json)).toEqual(["conformance.echo"]);
      expect(idsOf((await place.own.get(path, { key: "sk" })).json)).toEqual(["conformance.echo"]);
      expect((await place.own.get(path, { key: "wrong" })).status).toBe(401);
    }
    const text = (await place.own.get("/capabilities.txt", { key: null })).text;
    expect([text.includes("conformance.echo"), text.includes("conformance.fail")]).toEqual([true, false]);
  });

  it("carry nothing about who may do what", async () => {
    for (const path of ["/.well-known/capabilities.json", "/capabilities.json", "/capabilities.txt"]) {
      expect((await place.own.get(path)).text).not.toMatch(/allowed_actors|permission|policy|runner|approv(er|als)/);
    }
  });
});

describe("metrics", () => {
  const read = async (key: string): Promise<Map<string, number>> => {
    const { type, text } = await place.own.get("/metrics", { key });
    expect(type).toMatch(/^text\/plain; version=0\.0\.4/);
    const samples = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
    return new Map(samples.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]));
  };

  it("count calls by outcome and refusals by kind, from every door", async () => {
    const before = await read("k");
    await place.own.invoke("conformance.echo");
    await place.mounted.invoke("conformance.fail");
    await place.own.invoke("conformance.risky");
    await place.own.invoke("conformance.approval", { value: "metrics" });
    const after = await read("k");
    const grown = (name: string): number => (after.get(name) ?? 0) - (before.get(name) ?? 0);
    expect(grown('bailiwick_calls_total{outcome="success"}')).toBe(1);
    expect(grown('bailiwick_calls_total{outcome="failure"}')).toBe(1);
    expect(grown('bailiwick_calls_total{outcome="denied"}')).toBe(2);
    expect(grown('bailiwick_refusals_total{kind="policy_denied"}')).toBe(1);
    expect(grown('bailiwick_refusals_total{kind="approval_pending"}')).toBe(1);
    expect(grown("bailiwick_approvals_pending")).toBe(1);
    expect(grown("bailiwick_events_total")).toBeGreaterThanOrEqual(7);
  });

  it("tell the host's totals only to who may read its evidence", async () => {
    const seen = await read("sk");
    expect([...seen.keys()].toSorted()).toEqual(["bailiwick_approvals_pending", "bailiwick_uptime_seconds"]);
    expect(seen.get("bailiwick_approvals_pending")).toBe(0);
  });
});
