/**
 * examples/service-ops as a whole host: its manifest, who sees and decides what, and one appointment over each door, which
 * must leave the same evidence wherever it was asked for.
 */
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { schemaErrors } from "../kernel/chp-schemas-for-tests.ts";
import { CLIENTS } from "./mcp-clients-for-tests.ts";
import { serve, type Served } from "./serve-for-tests.ts";

type Json = Record<string, any>;

const EXAMPLE = fileURLToPath(new URL("../../../examples/service-ops/", import.meta.url));
const TOOL = "dispatch__schedule_technician";

/** As the concept of a host is described by CHP; only the protocol is newer here. */
const CAPABILITY = {
  id: "schedule_technician",
  version: "1.0.0",
  description: "Finds an available qualified technician and reserves a service window.",
  status: "experimental",
  modes: ["sync"],
  emits: ["execution_started", "execution_completed", "execution_denied"],
  policy: {
    risk_tier: "high",
    auth_required: true,
    approval_required: true,
    allowed_actors: ["agent://planning-assistant"],
  },
  metadata: { required_permissions: ["service:dispatch"], lifecycle: "invokable" },
};
const MANIFEST = {
  id: "service-ops-host",
  version: "0.1.0",
  kind: "service",
  capabilities: [CAPABILITY],
  evidence: { store: "local-append-only", append_only: true },
};

let host: Served;
const keys: Record<string, string> = {};

const createKey = async (name: string, ...more: string[]): Promise<string> => {
  const { code, stdout, stderr } = await host.run("key", "create", "--name", name, ...more);
  expect({ code, stderr }).toMatchObject({ code: 0 });
  return stdout.trim();
};

beforeAll(async () => {
  const { bundles: _, ...config } = JSON.parse(readFileSync(`${EXAMPLE}bailiwick.json`, "utf8")) as Json;
  host = await serve({
    bundles: { dispatch: { args: [], entry: { path: `${EXAMPLE}dispatch` } } },
    // Each door answers at once, so that all of them say the same.
    config: { ...config, approvals: { waitSeconds: 0 } },
  });
  keys["agent"] = await createKey("planning-assistant", "--scope", TOOL);
  keys["helper"] = await createKey("helper");
  keys["maria"] = await createKey("maria", "--as", "person:maria");
  keys["owner"] = host.key;
}, 60_000);
afterAll(() => host.stop());

const ask = async (who: string, path: string, body?: Json): Promise<{ status: number; json: Json }> => {
  const res = await fetch(host.origin + path, {
    method: body === undefined ? "GET" : "POST",
    headers: { authorization: `Bearer ${keys[who]}`, "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: res.status, json: (await res.json()) as Json };
};

describe("the manifest of ServiceOpsHost", () => {
  it("is the described one, member for member, with more beside it", async () => {
    const { json } = await ask("agent", "/chp/host");
    expect(json).toMatchObject(MANIFEST);
    expect(json).toMatchObject({ metadata: { name: "ServiceOpsHost" }, protocol_version: "0.2" });
    expect(json["supported_versions"]).toContain("0.1");
    expect(schemaErrors("host-descriptor", json)).toEqual([]);
  });

  it("describes the capability in the list of capabilities alike", async () => {
    const { json } = await ask("agent", "/chp/capabilities");
    expect(json["capabilities"]).toMatchObject([CAPABILITY]);
    expect(schemaErrors("capability-descriptor", json["capabilities"][0])).toEqual([]);
  });

  it("leaves out what the reader may not name, and has the rest", async () => {
    const { json } = await ask("helper", "/chp/host");
    const ids = json["capabilities"].map(({ id }: Json) => id);
    expect(ids).toContain("query_inventory");
    expect(ids).not.toContain("schedule_technician");
    const stock = await ask("helper", "/chp/invoke", {
      capability_id: "query_inventory",
      payload: { part: "fuse-16" },
    });
    expect(stock.json).toMatchObject({ outcome: "success", data: { part: "fuse-16", inStock: 120 } });
  });
});

/** Asks for an appointment, and says which approval it waits for, or the appointment. */
type Ask = (job: string) => Promise<{ waitsFor: string } | { data: Json }>;

const argumentsOf = (job: string): Json => ({ job, skill: "hvac", window: "2026-12-01 09:00-12:00" });

const overChp: Ask = async (job) => {
  const { json } = await ask("agent", "/chp/invoke", {
    invocation_id: `inv_${job}`,
    correlation: { correlation_id: `corr_${job}` },
    capability_id: "schedule_technician",
    payload: argumentsOf(job),
    metadata: { context: { job_context: job } },
  });
  expect(schemaErrors("invocation-result", json)).toEqual([]);
  return json["outcome"] === "success" ? { data: json["data"] } : { waitsFor: json["denial"].details.approval_id };
};

const overRest: Ask = async (job) => {
  const { status, json } = await ask("agent", "/v1/tools/call", { name: TOOL, arguments: argumentsOf(job) });
  return status === 200 ? { data: json["structuredContent"] } : { waitsFor: json["approvalId"] };
};

const overMcp: Ask = async (job) => {
  const client = await CLIENTS[0]!.connect(host.mcpUrl, keys["agent"]!);
  try {
    const result = await client.call(TOOL, argumentsOf(job));
    const refusal = result._meta?.["dev.bailiwick/refusal"] as Json | undefined;
    if (refusal === undefined) return { data: result.structuredContent as Json };
    return { waitsFor: refusal["details"].approval_id };
  } finally {
    await client.close();
  }
};

const events = async (): Promise<Json[]> =>
  (await ask("owner", "/v1/evidence?capability=schedule_technician&limit=1000")).json["events"].toReversed();

/** What must not differ from door to door: all but ids, times, commitments and the door. */
const factsOf = ({ event_type, capability_id, capability_version, outcome, denial, subject, payload }: Json): Json => ({
  event_type,
  capability_id,
  capability_version,
  outcome,
  denial: denial?.code ?? null,
  rule: payload.rule ?? denial?.details.matched_rule ?? null,
  who: [subject.id, subject.type, subject.on_behalf_of ?? null, subject.verified, subject.workspace],
  tool: payload.tool ?? null,
  definition: payload.definition ?? null,
  policy_version: payload.policy_version ?? null,
});

const DOORS: readonly (readonly [door: string, job: string, make: Ask])[] = [
  ["chp", "4711", overChp],
  ["rest", "4712", overRest],
  ["mcp", "4713", overMcp],
];
const left = new Map<string, Json[]>();

describe.each(DOORS)("an appointment over %s", (door, job, make) => {
  it("waits for a manager, who alone can approve it, and is then made once", async () => {
    const before = (await events()).length;
    const asked = await make(job);
    expect(asked).toMatchObject({ waitsFor: expect.stringMatching(/^apr_[0-9a-f]{32}$/) });
    const path = `/v1/approvals/${"waitsFor" in asked ? asked.waitsFor : ""}`;
    for (const who of ["agent", "helper", "owner"]) {
      expect((await ask(who, path, { decision: "approve" })).status).toBe(403);
    }
    expect(await make(job)).toEqual(asked);
    expect((await ask("maria", path, { decision: "approve" })).json).toMatchObject({ state: "granted" });
    const appointment = { data: { status: "confirmed", job, technician: "Ines", appointment: `apt-${job}` } };
    expect(await make(job)).toMatchObject(appointment);
    expect((await ask("owner", path)).json).toMatchObject({ state: "consumed", rule: "manager_approval" });
    left.set(door, (await events()).slice(before));
  });
});

describe("the evidence of the three", () => {
  const started = (door: string): Json => left.get(door)!.find((event) => event["event_type"] === "execution_started")!;

  it("is the same but for ids, times and the door", () => {
    const [chp = [], rest, mcp] = DOORS.map(([door]) => left.get(door)?.map(factsOf));
    expect(chp.map((event) => event["event_type"])).toEqual([
      "approval_requested",
      "execution_denied",
      "execution_denied",
      "approval_granted",
      "approval_grant_verified",
      "execution_started",
      "execution_completed",
    ]);
    expect(chp.slice(0, 2).map(({ rule }) => rule)).toEqual(["manager_approval", "manager_approval"]);
    expect(rest).toEqual(chp);
    expect(mcp).toEqual(chp);
    expect(DOORS.map(([door]) => started(door)["subject"].door)).toEqual(DOORS.map(([door]) => door));
  });

  it.each(DOORS)("tells the six steps of the trace, over %s", async (door, job) => {
    const correlation = started(door)["correlation"].correlation_id as string;
    const { json } = await ask("agent", `/v1/evidence/trace/${correlation}`);
    const ran = json["invocations"].find(({ invocation_id: id }: Json) => id === started(door)["invocation_id"]);
    expect(ran.steps).toMatchObject([
      { step: "actor", id: "agent://planning-assistant", on_behalf_of: "person://owner", verified: true, door },
      { step: "capability", id: "schedule_technician", version: "1.0.0", tool: TOOL },
      { step: "host", id: "service-ops-host" },
      { step: "policy", decision: "allowed", rule: "manager_approval" },
      { step: "context", correlation_id: correlation, context: door === "chp" ? { job_context: job } : null },
      { step: "result", outcome: "success" },
    ]);
  });
});

describe("the walk through it", () => {
  it("ends well, from the first question to the forged byte", async () => {
    const ran = await new Promise<Json>((resolve) => {
      execFile(process.execPath, [`${EXAMPLE}walk.mjs`], (error, stdout, stderr) => {
        resolve(error === null ? { code: 0, stdout } : { code: error.code, stdout, stderr });
      });
    });
    expect(ran).toEqual({ code: 0, stdout: ran["stdout"] });
    expect(ran["stdout"]).toContain('"status": "confirmed"');
    expect(ran["stdout"]).toMatch(/01 actor .*\n.*02 capability .*\n.*03 host .*\n.*04 policy .*manager_approval/);
    expect(ran["stdout"]).toMatch(/INVALID at record \d+ \(cover\)/);
  }, 60_000);
});
