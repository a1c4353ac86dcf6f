/** Approvals, policy and evidence as people and programs meet them: the program itself, a real bundle, real HTTP. */
import { writeFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createCli, DEMO, type Cli, type Ran, type Serving } from "./cli-for-tests.ts";

const CONFIG = {
  ...DEMO,
  policy: {
    rules: [
      {
        id: "ask-first",
        match: { tools: ["demo__echo"], principals: ["agent:*"] },
        effect: "require_approval",
        reason: "Agents ask before they echo",
      },
      { id: "no-fail", match: { tools: ["demo__fail"] }, effect: "deny", reason: "Never", next: "Ask nobody." },
    ],
  },
};

let cli: Cli;
let host: Serving;
let origin = "";
let agent = "";
beforeAll(async () => {
  cli = createCli();
  cli.configure(CONFIG);
  host = cli.start(["serve", "--port", "0", "--json"]);
  await host.says('"state":"running"');
  const events = host.out().split("\n").filter(Boolean);
  ({ origin } = JSON.parse(events.find((line) => line.includes('"listening"')) ?? "") as { origin: string });
  const made = await cli.run(["key", "create", "--name", "planner", "--json"]);
  agent = (JSON.parse(made.out) as { secret: string }).secret;
});
afterAll(() => cli.clean());

interface Said {
  readonly status: number;
  readonly location: string | undefined;
  readonly json: any;
}

/** As the agent; `prefer` waits for a decision. */
const ask = (path: string, body?: object, prefer?: string): Promise<Said> =>
  new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${agent}`,
      ...(body && { "content-type": "application/json" }),
      ...(prefer && { prefer }),
    };
    const asked = request(`${origin}${path}`, { method: body ? "POST" : "GET", headers, agent: false }, (res) => {
      let text = "";
      res.setEncoding("utf8").on("data", (piece: string) => (text += piece));
      res.on("end", () => {
        const { statusCode: status = 0, headers: said } = res;
        resolve({ status, location: said.location, json: JSON.parse(text) as unknown });
      });
    });
    asked.on("error", reject);
    asked.end(body && JSON.stringify(body));
  });

const echo = (text: string, prefer?: string): Promise<Said> =>
  ask("/v1/tools/call", { name: "demo__echo", arguments: { text } }, prefer);
const json = ({ out }: Ran): any => JSON.parse(out) as unknown;

describe("what an agent may do only with a person's yes", () => {
  it("waits, is seen and approved at the terminal, runs once, and has to be asked for again", async () => {
    const waiting = await echo("first");
    expect(waiting).toMatchObject({ status: 202, json: { error: "approval_pending" } });
    const { approvalId: id, digest } = waiting.json as { approvalId: string; digest: string };
    expect(waiting.location).toBe(`/v1/approvals/${id}`);
    expect((await ask(waiting.location ?? "")).json).toMatchObject({ id, digest, state: "pending" });
    expect((await echo("first")).json).toMatchObject({ approvalId: id });

    const listed = await cli.run(["approve"]);
    expect(listed.out).toContain(id);
    expect(listed.out).toContain("agent:planner for person:owner");
    const decided = await cli.run(["approve", id, "yes", "--reason", "fine"]);
    expect(decided.code).toBe(0);
    expect(decided.out).toContain('"text": "first"');

    expect((await echo("other")).status).toBe(202);
    expect(await echo("first")).toMatchObject({ status: 200, json: { content: [{ text: "first" }] } });
    const again = await echo("first");
    expect(again.status).toBe(202);
    expect(again.json.approvalId).not.toBe(id);
    expect((await ask(`/v1/approvals/${id}`)).json).toMatchObject({ state: "consumed" });
  });

  it("runs while it is held, once the person has said yes", async () => {
    const held = echo("held", "wait=60");
    let id: string | undefined;
    await expect
      .poll(
        async () => {
          const { approvals } = json(await cli.run(["approve", "--json"])) as {
            approvals: { id: string; arguments: { text: string } }[];
          };
          id = approvals.find(({ arguments: { text } }) => text === "held")?.id;
          return id;
        },
        { timeout: 20_000 },
      )
      .toBeDefined();
    await cli.run(["approve", id ?? "", "yes"]);
    expect(await held).toMatchObject({ status: 200, json: { content: [{ text: "held" }] } });
  });

  it("stays undone after a no, with the reason", async () => {
    const { approvalId } = (await echo("denied")).json as { approvalId: string };
    expect((await cli.run(["approve", approvalId, "no", "--reason", "not this week"])).code).toBe(0);
    const said = await echo("denied");
    expect(said).toMatchObject({ status: 403, json: { error: "approval_denied" } });
    expect(JSON.stringify(said.json)).toContain("not this week");
    const late = await cli.run(["approve", approvalId, "yes"]);
    expect(late.code).toBe(3);
  });

  it("is no agent's own to approve", async () => {
    const { approvalId } = (await echo("mine")).json as { approvalId: string };
    const said = await ask(`/v1/approvals/${approvalId}`, { decision: "approve" });
    expect(said.status).toBe(403);
    expect(said.json.remedy).toContain("bailiwick approve");
    expect((await echo("mine")).status).toBe(202);
  });
});

describe("the policy", () => {
  it("is explained without anything being done", async () => {
    const before = json(await cli.run(["approve", "--json"])).approvals.length as number;
    const wait = json(await cli.run(["explain", "demo__echo", '{"text":"x"}', "--as", "agent:planner", "--json"]));
    expect(wait).toMatchObject({ tool: "demo__echo", verdict: "wait", decided_by: { stage: 8 } });
    const refuse = await cli.run(["explain", "demo__fail"]);
    expect(refuse.out).toContain("would be refused");
    expect(refuse.out).toContain("no-fail");
    expect(json(await cli.run(["approve", "--json"])).approvals).toHaveLength(before);
    expect((await ask("/v1/tools/explain", { name: "demo__echo", as: "person:owner" })).status).toBe(403);
  });

  it("is checked, and tested by a table", async () => {
    const checked = await cli.run(["policy", "check"]);
    expect(checked.code).toBe(0);
    expect(checked.out).toMatch(/^ask-first +require_approval +host/m);
    const cases = [
      { as: "agent:planner", tool: "demo__echo", arguments: { text: "x" }, expect: "wait" },
      { as: "person:owner", tool: "demo__echo", arguments: { text: "x" }, expect: "run" },
      { as: "person:owner", tool: "demo__echo", expect: "refuse" },
      { as: "agent:planner", tool: "demo__fail", expect: "refuse", rule: "no-fail" },
    ];
    writeFileSync(join(cli.dir, "cases.json"), JSON.stringify(cases));
    const passed = await cli.run(["policy", "test", "cases.json"]);
    expect(passed).toMatchObject({ code: 0, err: "4 cases, 0 of them not as expected.\n" });
    writeFileSync(join(cli.dir, "cases.json"), JSON.stringify([{ ...cases[0], expect: "run" }]));
    expect((await cli.run(["policy", "test", "cases.json"])).code).toBe(1);
  });

  it("is the owner's to read, and not the agent's", async () => {
    expect((await ask("/v1/policy")).status).toBe(403);
  });
});

describe("a call with a key of its own", () => {
  it("is made once, however often it is sent", async () => {
    const order = { name: "demo__steps", idempotencyKey: "once" };
    const first = await ask("/v1/tools/call", order);
    const again = await ask("/v1/tools/call", order);
    expect(first.status).toBe(200);
    expect(again.json).toEqual(first.json);
    const other = await ask("/v1/tools/call", { ...order, name: "demo__picture" });
    expect(other).toMatchObject({ status: 409, json: { error: "idempotency_conflict" } });
  });
});

describe("evidence over REST", () => {
  it("shows an agent its own calls, traced and verified", async () => {
    await ask("/v1/tools/call", { name: "demo__picture" });
    const { events } = (await ask("/v1/evidence?type=execution_completed&limit=1")).json as { events: any[] };
    const [event] = events;
    expect(event).toMatchObject({ event_type: "execution_completed", capability_id: "demo__picture" });
    const correlation = event.correlation.correlation_id as string;
    expect((await ask(`/v1/evidence/${event.event_id}`)).json).toMatchObject({ sequence: event.sequence });
    expect((await ask(`/v1/evidence/verify?correlation=${correlation}`)).json).toMatchObject({ valid: true });
    expect((await ask(`/v1/evidence/trace/${correlation}`)).status).toBe(200);
    const bundle = await ask(`/v1/evidence/export?format=bundle&correlation=${correlation}`);
    expect(bundle.json).toMatchObject({ events: expect.any(Array), root_hash: expect.any(String) });
  });
});
