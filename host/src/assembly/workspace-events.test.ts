import { describe, expect, test } from "vitest";
import type { NumberedEvent } from "../kernel/workspace-event.ts";
import { createWorkspaceEvents } from "./workspace-events.ts";

const bugs: unknown[] = [];
const create = () => createWorkspaceEvents((bug) => bugs.push(bug));

describe("events of a workspace", () => {
  test("a follower hears what comes, and nothing of another workspace", () => {
    const events = create();
    const heard: NumberedEvent[] = [];
    const { end, gap } = events.follow("ws_a", null, (event) => heard.push(event));
    events.publish("ws_b", { type: "bundle.stopped", data: { name: "secret" } });
    events.publish("ws_a", { type: "bundle.crashed", data: { name: "echo", restartAttempt: 1 } });
    end();
    events.publish("ws_a", { type: "bundle.recovered", data: { name: "echo" } });
    expect(heard).toEqual([{ id: 1, type: "bundle.crashed", data: { name: "echo", restartAttempt: 1 } }]);
    expect(gap).toBe(false);
  });

  test("one that comes back hears each event after its last exactly once", () => {
    const events = create();
    for (let n = 1; n <= 5; n++) events.publish("ws_a", { type: "e", data: { n } });
    const heard: number[] = [];
    const { gap } = events.follow("ws_a", 3, ({ id }) => heard.push(id));
    events.publish("ws_a", { type: "e", data: { n: 6 } });
    expect([heard, gap]).toEqual([[4, 5, 6], false]);
  });

  test("500 are kept; who missed more is told of the gap", () => {
    const events = create();
    for (let n = 1; n <= 600; n++) events.publish("ws_a", { type: "e", data: { n } });
    const heard: number[] = [];
    expect(events.follow("ws_a", 99, ({ id }) => heard.push(id)).gap).toBe(true);
    expect([heard.length, heard[0], heard.at(-1)]).toEqual([500, 101, 600]);
    expect(events.follow("ws_a", 100, () => {}).gap).toBe(false);
  });

  test("a number of an earlier run of the host is a gap", () => {
    const events = create();
    events.publish("ws_a", { type: "e", data: {} });
    const heard: number[] = [];
    expect(events.follow("ws_a", 77, ({ id }) => heard.push(id)).gap).toBe(true);
    expect(heard).toEqual([1]);
  });

  test("a follower that throws disturbs nobody", () => {
    const events = create();
    const heard: number[] = [];
    events.follow("ws_a", null, () => {
      throw new Error("full");
    });
    events.follow("ws_a", null, ({ id }) => heard.push(id));
    events.publish("ws_a", { type: "e", data: {} });
    expect([heard, bugs.length]).toEqual([[1], 1]);
  });
});
