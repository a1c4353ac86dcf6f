import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ConfigError } from "./config-error.ts";
import { writeDrillBundle } from "./drill-bundle-for-tests.ts";
import type { Host } from "./host.ts";
import { openEvidence } from "./open-evidence.ts";
import { createHost } from "./open-host.ts";

let dir: string;
let host: Host | null = null;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "bailiwick-program-"));
});
afterEach(async () => {
  await host?.stop();
  host = null;
  rmSync(dir, { recursive: true, force: true });
});

const config = () => ({
  workDir: join(dir, "work"),
  http: { port: 0 },
  noDefaultBundles: true,
  bundles: [writeDrillBundle(dir)],
});

const started = async (): Promise<Host> => {
  host = await createHost(config());
  await host.start();
  const drill = () => host?.providers().find(({ name }) => name === "drill");
  await expect.poll(() => drill()?.status.state, { timeout: 10_000 }).toBe("running");
  return host;
};

const eventsOf = (): { event_type: string; subject: { id: string; verified: boolean; door: string } }[] => {
  const evidence = openEvidence(join(dir, "work"));
  const lines = [...evidence.range(1, evidence.last())];
  evidence.close();
  return lines.map((line) => JSON.parse(line) as ReturnType<typeof eventsOf>[number]);
};

describe("a host in a program", () => {
  it("lists and calls without a listener, and records it", async () => {
    const running = await started();
    expect(running.tools().map((tool) => tool.name)).toContain("drill__count");
    const answer = await running.call("drill__count", { n: 7 });
    expect(answer).toMatchObject({ outcome: "success", ending: { kind: "result", isError: false } });
    const calls = eventsOf().filter((event) => event.event_type.startsWith("execution_"));
    expect(calls.map((event) => event.event_type)).toEqual(["execution_started", "execution_completed"]);
    expect(calls[0]?.subject).toMatchObject({ id: "person://owner", verified: false, door: "program" });
  });

  it("acts as the principal it names, never as a verified one", async () => {
    const running = await started();
    const answer = await running.call("drill__count", { n: 1 }, { principal: "agent:planner" });
    expect(answer.principal).toMatchObject({ id: "agent:planner", assurance: "local", onBehalfOf: "person:owner" });
  });

  it("refuses an unknown tool with suggestions, as a value", async () => {
    const running = await started();
    const answer = await running.call("drill__cuont", {});
    expect(answer).toMatchObject({ outcome: "denied", ending: { kind: "refusal", stage: 3 } });
    expect(answer.ending.kind === "refusal" && answer.ending.refusal.details["suggestions"]).toContain("drill__count");
    expect(eventsOf().at(-1)?.event_type).toBe("execution_denied");
  });

  it("ends a waiting call by its signal, with the outcome unknown", async () => {
    const running = await started();
    const ending = new AbortController();
    setTimeout(() => ending.abort(), 100);
    const answer = await running.call("drill__wait", { n: 1 }, { signal: ending.signal });
    expect(answer).toMatchObject({ outcome: "indeterminate", ending: { refusal: { kind: "indeterminate" } } });
  }, 20_000);

  it("listens when asked to, for holders of a key only", async () => {
    const running = await started();
    const { origin } = await running.listen();
    expect((await fetch(`${origin}/v1/tools`)).status).toBe(401);
    const { secret } = await running.keys.create({ name: "reader", scopes: ["drill__count"] });
    const headers = { authorization: `Bearer ${secret}` };
    const { tools } = (await (await fetch(`${origin}/v1/tools`, { headers })).json()) as { tools: { name: string }[] };
    expect(tools.map((tool) => tool.name)).toEqual(["drill__count"]);
    await running.keys.revoke("reader");
    expect((await fetch(`${origin}/v1/tools`, { headers })).status).toBe(401);
    expect(eventsOf().map((event) => event.event_type)).toEqual(
      expect.arrayContaining(["dev.bailiwick.auth_rejected", "dev.bailiwick.key_created", "dev.bailiwick.key_revoked"]),
    );
  });

  it("takes everyone for the local user under noAuth, on loopback alone", async () => {
    const running = await started();
    await expect(running.listen({ noAuth: true, host: "0.0.0.0" })).rejects.toThrow("loopback only");
    const { origin } = await running.listen({ noAuth: true });
    const body = JSON.stringify({ name: "drill__count", arguments: { n: 1 } });
    const headers = { "content-type": "application/json" };
    expect((await fetch(`${origin}/v1/tools/call`, { method: "POST", headers, body })).status).toBe(200);
    expect(eventsOf().at(-1)?.subject).toMatchObject({ id: "person://local", verified: false, door: "rest" });
  });

  it("says everything that is wrong with a configuration at once", async () => {
    const wrong = createHost({ bundles: [{ name: "a", url: "b" }], http: { port: "x" } });
    await expect(wrong).rejects.toThrow(ConfigError);
    await expect(wrong).rejects.toThrow(
      /\/bundles\/0: give exactly one of name, path, url[^]*\/http\/port|\/http\/port[^]*\/bundles\/0/,
    );
  });

  it("does not start with a restriction that it could not keep", async () => {
    await expect(createHost({ ...config(), features: { mcpServer: false } })).rejects.toThrow("/features");
  });
});
