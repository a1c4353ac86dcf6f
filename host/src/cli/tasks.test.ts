/** Tasks through the built host, with a real server that makes them: who may follow one, and what evidence says of it. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openEvidence } from "../assembly/open-evidence.ts";
import { createDrill, type Drill, type Served } from "./drill-for-tests.ts";
import { startTaskServer, taskClient, type TaskClient, type TaskServer } from "./task-client-for-tests.ts";

interface Event {
  readonly event_type: string;
  readonly invocation_id: string;
  readonly outcome: string | null;
  readonly payload: { readonly task?: string };
}

let server: TaskServer;
let drill: Drill;
let host: Served;
let client: TaskClient;

const serve = async (): Promise<void> => {
  host = await drill.serve();
  await host.running("fixture");
  client = taskClient(host.origin, host.key);
};

beforeEach(async () => {
  server = await startTaskServer();
  const url = `http://127.0.0.1:${server.port}/mcp`;
  drill = await createDrill([], { allowInsecureRemotes: true, bundles: [{ url, serverName: "fixture" }] });
  await serve();
});
afterEach(async () => {
  await drill.clean();
  await server.stop();
});

/** All that evidence says of the call that began a task. */
const eventsOf = (taskId: string): Event[] => {
  const evidence = openEvidence(drill.workDir);
  const events = [...evidence.range(1, evidence.last())].map((line) => JSON.parse(line) as Event);
  expect(evidence.verify().valid).toBe(true);
  evidence.close();
  const id = events.find(({ payload }) => payload.task === taskId)?.invocation_id;
  return events.filter(({ invocation_id: each }) => each === id);
};

const whenOver = async (taskId: string): Promise<string[]> => {
  await drill.until(() => eventsOf(taskId).some(({ outcome }) => outcome !== null));
  return eventsOf(taskId).map(({ event_type: type }) => type);
};

/** Somebody with a key of its own. */
const keyed = async (key: object): Promise<TaskClient> => {
  const response = await fetch(`${host.origin}/v1/keys`, {
    method: "POST",
    headers: { authorization: `Bearer ${host.key}`, "content-type": "application/json" },
    body: JSON.stringify(key),
  });
  const { secret } = (await response.json()) as { secret: string };
  return taskClient(host.origin, secret);
};

const isOver = (status: string): boolean => status !== "working" && status !== "input_required";

const BEGUN = ["execution_started", "dev.bailiwick.task_created"];

describe("a task", () => {
  it("is begun, followed and recorded when it is done, whether or not anybody asks", async () => {
    const asked = await client.begin("fixture__slow_compute", { seconds: 0.3, label: "x" });
    const unasked = await client.begin("fixture__slow_compute", { seconds: 0.3, label: "y" });
    expect(asked).toMatch(/^tk_[0-9a-f]{32}$/);
    const done = await client.until(asked, isOver);
    expect(done).toMatchObject({ taskId: asked, status: "completed", result: { content: [{ type: "text" }] } });
    for (const id of [asked, unasked]) expect(await whenOver(id)).toEqual([...BEGUN, "execution_completed"]);
  });

  it("asks with the name of its server, and goes on with the answer", async () => {
    const id = await client.begin("fixture__confirm_delete", { filename: "a.txt" });
    const { inputRequests } = await client.until(id, (status) => status === "input_required");
    expect(inputRequests.confirm.params.message).toBe("fixture: Delete a.txt?");
    const inputResponses = { confirm: { action: "accept", content: { confirm: true } } };
    const { result } = await client.ask("tasks/update", { taskId: id, inputResponses });
    expect(result).toEqual({ resultType: "complete" });
    await client.until(id, isOver);
    expect(await whenOver(id)).toEqual([...BEGUN, "dev.bailiwick.round", "execution_completed"]);
  });

  it("is cancelled by whoever began it", async () => {
    const id = await client.begin("fixture__slow_compute", { seconds: 60 });
    expect((await client.ask("tasks/cancel", { taskId: id })).result).toEqual({ resultType: "complete" });
    expect((await client.until(id, isOver)).status).toBe("cancelled");
    expect(await whenOver(id)).toEqual([...BEGUN, "dev.bailiwick.task_cancel", "execution_failed"]);
  });

  it("is cancelled by whoever began it also when the tool is not theirs any more; its state is not shown then", async () => {
    const wide = await keyed({ name: "wide", as: "agent:other" });
    const narrow = await keyed({ name: "narrow", as: "agent:other", scopes: ["fixture__greet"] });
    const id = await wide.begin("fixture__slow_compute", { seconds: 60 });
    expect((await narrow.ask("tasks/get", { taskId: id })).error).toMatchObject({ data: { kind: "not_visible" } });
    expect((await narrow.ask("tasks/cancel", { taskId: id })).result).toEqual({ resultType: "complete" });
    expect(await whenOver(id)).toEqual([...BEGUN, "dev.bailiwick.task_cancel", "execution_failed"]);
  });

  it("is not there for anybody else, nor can they end it", async () => {
    const id = await client.begin("fixture__slow_compute", { seconds: 60 });
    const other = await keyed({ name: "other", as: "agent:other" });
    const { message } = (await client.ask("tasks/get", { taskId: "tk_none" })).error ?? {};
    for (const method of ["tasks/get", "tasks/cancel"]) {
      expect((await other.ask(method, { taskId: id })).error).toMatchObject({ code: -32602, message });
    }
    expect((await client.ask("tasks/get", { taskId: id })).result.status).toBe("working");
  });
});

describe("a task that outlives the host", () => {
  it.each(["kill", "stop"] as const)(
    "is followed by the next one, and its outcome recorded once: %s",
    async (how) => {
      const id = await client.begin("fixture__slow_compute", { seconds: 2, label: "z" });
      const lost = await client.begin("fixture__slow_compute", { seconds: 60 });
      await host[how]();
      expect(await drill.leftovers(5_000)).toEqual([]);
      await serve();
      expect((await client.ask("tasks/get", { taskId: lost })).result).toMatchObject({
        taskId: lost,
        status: "working",
      });
      expect(await whenOver(id)).toEqual([...BEGUN, "execution_completed"]);
      await host[how]();
      expect(await drill.leftovers(5_000)).toEqual([]);
      await serve();
      expect((await client.ask("tasks/get", { taskId: id })).result.status).toBe("completed");
      expect(eventsOf(id).filter(({ outcome }) => outcome !== null)).toHaveLength(1);
      expect(eventsOf(lost).map(({ event_type: type }) => type)).toEqual(BEGUN);
    },
    60_000,
  );

  it("ends nobody knows how when its server forgets it", async () => {
    const id = await client.begin("fixture__slow_compute", { seconds: 60 });
    const { port } = server;
    await server.stop();
    server = await startTaskServer(port);
    expect(await whenOver(id)).toEqual([...BEGUN, "execution_indeterminate"]);
    expect((await client.ask("tasks/get", { taskId: id })).error).toMatchObject({ code: -32602 });
  }, 60_000);
});
