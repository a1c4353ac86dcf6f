/** A call that a person has to allow, of a client that takes tasks: it goes on by itself, over a restart of the host too. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { openApprovalHouse, type ApprovalHouse } from "./approvals-mcp-for-tests.ts";
import { askRest } from "./doors-for-tests.ts";
import { taskClient, type TaskClient } from "./task-client-for-tests.ts";

const TEXT = "fixture__test_simple_text";
const isOver = (status: string): boolean => status !== "working" && status !== "input_required";

let made: ApprovalHouse;
let client: TaskClient;
const connect = (key = made.house.key): TaskClient => taskClient(made.house.origin, key);
beforeAll(async () => {
  made = await openApprovalHouse(30);
});
beforeEach(() => {
  client = connect();
});
afterAll(() => made.clean());

describe("a task that waits for a decision", () => {
  it("names the approval, runs once it is allowed, and has the result of the call", async () => {
    const { result: task } = await client.ask("tools/call", { name: TEXT, arguments: { by: "names" } });
    const approval = await made.pending({ by: "names" });
    const { id } = approval;
    expect(task).toMatchObject({ resultType: "task", status: "working", statusMessage: expect.stringContaining(id) });
    expect((await client.ask("tasks/get", { taskId: task.taskId })).result.status).toBe("working");
    await made.decide(id, "approve");
    expect(await client.until(task.taskId, isOver)).toMatchObject({
      status: "completed",
      result: { content: [{ type: "text" }] },
    });
    expect(await made.approvals({ by: "names" })).toMatchObject([{ id, state: "consumed" }]);
    expect(await made.events(approval)).toEqual([
      "approval_requested",
      "execution_denied",
      "dev.bailiwick.task_created",
      "approval_granted",
      "approval_grant_verified",
      "execution_started",
      "execution_completed",
    ]);
  });

  it("fails with the reason of a no", async () => {
    const id = await client.begin(TEXT, { by: "fails" });
    await made.decide((await made.pending({ by: "fails" })).id, "deny", "not today");
    const { status, error } = await client.until(id, isOver);
    expect([status, error.data.kind]).toEqual(["failed", "approval_denied"]);
    expect(error.message).toContain("not today");
  });

  it("is withdrawn by a cancel, which leaves the approval as it is", async () => {
    const id = await client.begin(TEXT, { by: "withdrawn" });
    const { id: approval } = await made.pending({ by: "withdrawn" });
    expect((await client.ask("tasks/cancel", { taskId: id })).result).toEqual({ resultType: "complete" });
    await made.decide(approval, "approve");
    expect((await client.until(id, isOver)).status).toBe("cancelled");
    expect(await made.approvals({ by: "withdrawn" })).toMatchObject([{ id: approval, state: "granted" }]);
  });

  it("waits on after a restart, runs with what is granted then, and is still there after another", async () => {
    const id = await client.begin(TEXT, { by: "restart" });
    const { id: approval } = await made.pending({ by: "restart" });
    await made.restart();
    client = connect();
    expect((await client.ask("tasks/get", { taskId: id })).result.status).toBe("working");
    await made.decide(approval, "approve");
    expect((await client.until(id, isOver)).status).toBe("completed");
    await made.restart();
    client = connect();
    expect((await client.ask("tasks/get", { taskId: id })).result).toMatchObject({
      status: "completed",
      result: { content: [{ type: "text" }] },
    });
  });

  it("does not run with a key that was revoked while it waited", async () => {
    const keyed = async (name: string): Promise<TaskClient> => {
      const body = { name, as: "agent:short", for: "person:owner" };
      const { json } = await askRest(made.house, "/v1/keys", { method: "POST", body });
      return connect(json.secret as string);
    };
    const [short, other] = [await keyed("short"), await keyed("other")];
    const taskId = await short.begin(TEXT, { by: "revoked" });
    const approval = await made.pending({ by: "revoked" });
    await askRest(made.house, "/v1/keys/short", { method: "DELETE" });
    await made.decide(approval.id, "approve");
    const { status, error } = await other.until(taskId, isOver);
    expect([status, error.data.kind]).toEqual(["failed", "unauthenticated"]);
    expect(await made.events(approval)).not.toContain("execution_started");
  });

  it("becomes its server's task under the same id, whose questions and end are its own", async () => {
    const id = await client.begin("fixture__confirm_delete", { filename: "a.txt" });
    await made.decide((await made.pending({ filename: "a.txt" })).id, "approve");
    const { inputRequests } = await client.until(id, (status) => status === "input_required");
    expect(inputRequests.confirm.params.message).toBe("fixture: Delete a.txt?");
    const inputResponses = { confirm: { action: "accept", content: { confirm: true } } };
    await client.ask("tasks/update", { taskId: id, inputResponses });
    expect(await client.until(id, isOver)).toMatchObject({ status: "completed" });
  });

  it("asks its caller what its server asks before it begins, and needs no second approval for that", async () => {
    const id = await client.begin("fixture__test_input_required_result_elicitation", { by: "asks" });
    await made.decide((await made.pending({ by: "asks" })).id, "approve");
    const { inputRequests } = await client.until(id, (status) => status === "input_required");
    const [key = ""] = Object.keys(inputRequests);
    const inputResponses = { [key]: { action: "accept", content: { name: "x" } } };
    await client.ask("tasks/update", { taskId: id, inputResponses });
    expect((await client.until(id, isOver)).status).toBe("completed");
    expect(await made.approvals({ by: "asks" })).toHaveLength(1);
  });

  it("is never run a second time when the host dies in the middle: nobody knows how it ended", async () => {
    const args = { by: "dies" };
    const id = await client.begin("fixture__test_input_required_result_elicitation", args);
    const approval = await made.pending(args);
    await made.decide(approval.id, "approve");
    await client.until(id, (status) => status === "input_required");
    await made.restart("SIGKILL");
    const { status, error } = await connect().until(id, isOver);
    expect([status, error.data.kind]).toEqual(["failed", "indeterminate"]);
    const events = await made.events(approval);
    expect(events.filter((type) => type === "execution_started")).toHaveLength(1);
    expect(events.at(-1)).toBe("execution_indeterminate");
    expect(await made.approvals(args)).toMatchObject([{ state: "consumed" }]);
  });
});
