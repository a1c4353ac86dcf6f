/** How calls of a bundle's tools end over CHP, and an approval from the first asking to the last repeat. */
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Json } from "../kernel/chp-client-for-tests.ts";
import { startChpHost, type ChpHost } from "./chp-host-for-tests.ts";
import { FIXTURES } from "./serve-for-tests.ts";

let host: ChpHost;
beforeAll(async () => {
  host = await startChpHost({
    bundles: { cli: { args: [join(FIXTURES, "cli-server.mjs")] } },
    config: {
      policy: {
        rules: [{ id: "open", match: { tools: ["*"] }, effect: "allow" }],
        capabilities: {
          cli__steps: { enabled: false, reason: "Not this week." },
          cli__wait: { timeout_s: 1 },
          cli__echo: { id: "talk.echo", version: "2.1.0" },
        },
      },
    },
  });
}, 60_000);
afterAll(() => host.stop());

const on = (correlation_id: string): Json => ({ correlation: { correlation_id } });

describe("a bundle's tool over CHP", () => {
  it("goes by the id that the operator gave it, and its data is its content", async () => {
    const result = await host.invoke("talk.echo", { text: "hi" });
    expect(result).toMatchObject({
      capability_id: "talk.echo",
      capability_version: "2.1.0",
      outcome: "success",
      data: { content: [{ type: "text", text: "hi" }] },
    });
  });

  it("is listed by that id, in all documents alike", async () => {
    const ids = ({ capabilities }: Json): string[] => capabilities.map(({ id }: Json) => id).toSorted();
    const manifest = ids((await host.get("/host")).json);
    expect(manifest).toContain("talk.echo");
    expect(manifest).not.toContain("cli__echo");
    expect(ids((await host.get("/capabilities")).json)).toEqual(manifest);
    expect(ids((await host.get("/capabilities.json")).json)).toEqual(manifest);
    const { text } = await host.get("/capabilities.txt");
    expect([...text.matchAll(/^- (\S+)/gm)].map(([, id]) => String(id)).toSorted()).toEqual(manifest);
  });

  it("with wrong arguments is a denial that names them", async () => {
    const result = await host.invoke("talk.echo", { text: 7 }, on("o-input"));
    expect(result["denial"]).toMatchObject({
      code: "input_schema_validation_failed",
      details: { path: "/text", next: expect.any(String) },
    });
    expect(await host.types("o-input")).toEqual(["execution_denied"]);
  });

  it("that says it failed is a failure, never a success", async () => {
    const result = await host.invoke("cli__fail", {}, on("o-fail"));
    expect(result).toMatchObject({ outcome: "failure", error: { code: "tool_error", message: "it broke" } });
    expect(await host.types("o-fail")).toEqual(["execution_started", "execution_failed"]);
  });

  it("that answers with an error of its own is a failure with that error", async () => {
    const result = await host.invoke("cli__error");
    expect(result["error"]).toMatchObject({
      code: "host_error",
      message: "own trouble",
      details: { upstream: { code: -32000 } },
    });
  });

  it("that does not answer in time leaves its effect unknown", async () => {
    const result = await host.invoke("cli__wait", {}, on("o-wait"));
    expect(result).toMatchObject({ outcome: "indeterminate", error: { code: "timeout" } });
    expect(await host.types("o-wait")).toEqual(["execution_started", "execution_indeterminate"]);
  });

  it("that was disabled is skipped, with the reason and one event", async () => {
    const result = await host.invoke("cli__steps", {}, on("o-skip"));
    expect(result).toMatchObject({
      outcome: "skipped",
      success: false,
      started_at: null,
      denial: {
        code: "capability_disabled",
        retryable: false,
        details: { capability_id: "cli__steps", lifecycle: "disabled", reason: "Not this week." },
      },
    });
    expect(await host.types("o-skip")).toEqual(["execution_skipped"]);
  });

  it("records what a body claims about its caller, and does not believe it", async () => {
    const claim = { subject: { id: "person://owner", verified: true }, actor: { id: "person://owner" } };
    await host.invoke("talk.echo", { text: "hi" }, { ...claim, ...on("o-claim") });
    const [event] = await host.events("o-claim");
    expect(event?.["subject"]).toMatchObject({ id: "runner", type: "api_key", verified: true, asserted: claim });
  });

  it("is explained without being called", async () => {
    const body = { capability_id: "talk.echo", payload: { text: "hi" }, ...on("o-explain") };
    const { json } = await host.post("/explain", body);
    expect(json).toMatchObject({ verdict: "run", capability_id: "talk.echo", tool: "cli__echo" });
    expect(await host.types("o-explain")).toEqual([]);
  });
});

describe("an approval over CHP", () => {
  const decide = async (id: string, decision: string): Promise<Response> =>
    fetch(`${host.served.origin}/v1/approvals/${id}`, {
      method: "POST",
      headers: { authorization: `Bearer ${host.served.key}`, "content-type": "application/json" },
      body: JSON.stringify({ decision }),
    });
  const ask = (correlation: string, more: Json = {}): Promise<Json> =>
    host.invoke("conformance.approval", { value: correlation }, { ...on(correlation), ...more });

  it("lets the same call run once, and gives its result from then on", async () => {
    const more = { invocation_id: "ap-1" };
    const denied = await ask("ap-1", more);
    const id = String(denied["denial"].details.approval_id);
    expect(await ask("ap-1", more)).toMatchObject({
      denial: { code: "approval_required", details: { approval_id: id } },
    });
    expect((await decide(id, "approve")).status).toBe(200);
    expect((await host.get(`/approvals/${id}`)).json).toMatchObject({
      state: "granted",
      grant: { kind: "approval-grant", approval_id: id },
    });
    const ran = await ask("ap-1", more);
    expect(ran).toMatchObject({ outcome: "success", data: { echo: "ap-1" } });
    expect(await ask("ap-1", more)).toEqual({ ...ran, replayed: true });
    const types = await host.types("ap-1");
    expect(types.filter((type) => type === "execution_started")).toHaveLength(1);
    expect(types).toContain("approval_grant_verified");
    expect((await host.get(`/approvals/${id}`)).json).toMatchObject({ state: "consumed" });
  });

  it("that was denied says so", async () => {
    const denied = await ask("ap-2");
    const id = String(denied["denial"].details.approval_id);
    expect((await decide(id, "deny")).status).toBe(200);
    expect(await ask("ap-2")).toMatchObject({ outcome: "denied", denial: { code: "policy_blocked" } });
    expect(await host.types("ap-2")).not.toContain("execution_started");
  });

  it("is nobody else's to see", async () => {
    const denied = await ask("ap-3");
    const said = await host.get(`/approvals/${denied["denial"].details.approval_id}`, { key: "sk" });
    expect(said.status).toBe(404);
  });
});
