import { describe, expect, it } from "vitest";
import { until } from "../bundles/bundles-for-tests.ts";
import type { Answer, RawCall } from "../kernel/call.ts";
import type { Principal } from "../kernel/principal.ts";
import { rawJson } from "../kernel/raw-json.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { Surface } from "../kernel/surface.ts";
import type { NumberedEvent } from "../kernel/workspace-event.ts";
import { tellDataChanges } from "./tell-data-changes.ts";
import { makePlace } from "./whole-host-for-tests.ts";
import { createWorkspaceEvents } from "./workspace-events.ts";

const who: Principal = {
  id: "person:ann",
  kind: "person",
  onBehalfOf: null,
  roles: [],
  permissions: [],
  assurance: "credential",
  scopes: null,
  workspace: "ws_a",
  credentialId: "ann",
};
const good: Answer = {
  ending: { kind: "result", json: rawJson("{}"), isError: false },
  outcome: "success",
  principal: who,
  evidenceId: "evt_1",
  tool: "files__create",
};
const raw = { door: "mcp", operation: "call" } as RawCall;
const ANNOTATIONS: Readonly<Record<string, unknown>> = {
  files__read: { readOnlyHint: true },
  files__odd: { readOnlyHint: "true" },
  files__null: null,
};
const surfaces = {
  of: () =>
    ({
      tool: (flat: string) => (flat in ANNOTATIONS ? { value: { annotations: ANNOTATIONS[flat] } } : null),
    }) as Surface,
};

/** What a member of the workspace hears of a call that ends so. */
const hear = (answer: Partial<Answer>, call: Partial<RawCall> = {}): readonly NumberedEvent[] => {
  const news = createWorkspaceEvents(() => {});
  const heard: NumberedEvent[] = [];
  news.follow("ws_a", null, (event) => heard.push(event));
  tellDataChanges({ surfaces, news })({ ...raw, ...call }, { ...good, ...answer });
  return heard;
};

describe("a call that may have changed something", () => {
  it("is told of with its server, tool, time and origin", () => {
    const [event] = hear({}, { door: "agent" });
    expect(event).toEqual({
      id: 1,
      type: "data.changed",
      data: { server: "files", tool: "create", timestamp: expect.stringMatching(/^\d{4}-.*Z$/), origin: "agent" },
    });
  });

  it.each(["files__odd", "files__null", "gone__tool"])("is also one of %s, which is not marked", (tool) => {
    expect(hear({ tool })).toHaveLength(1);
  });

  it("keeps what its name has after the first separator", () => {
    expect(hear({ tool: "p__a__b" })[0]?.data).toMatchObject({ server: "p", tool: "a__b" });
  });
});

describe("nothing is told of", () => {
  const refusal = new Refusal("policy_denied", { message: "No.", next: "Ask." });
  it.each<[string, Partial<Answer>, Partial<RawCall>]>([
    ["a tool that only reads", { tool: "files__read" }, {}],
    ["a read", {}, { operation: "read" }],
    ["a refusal", { outcome: "denied", ending: { kind: "refusal", refusal, stage: 6 } }, {}],
    ["a failure", { outcome: "failure" }, {}],
    ["an error of the tool", { ending: { kind: "result", json: rawJson("{}"), isError: true } }, {}],
    ["an answer that is given out again", { replayed: true }, {}],
    ["a task that has begun", { outcome: null }, {}],
    ["nobody's call", { principal: null }, {}],
    ["what has no name", { tool: null }, {}],
  ])("%s", (_, answer, call) => {
    expect(hear(answer, call)).toEqual([]);
  });
});

describe("where nobody ever followed", () => {
  it("nothing is looked up, and nothing kept", () => {
    const news = createWorkspaceEvents(() => {});
    const blind = {
      of: () => {
        throw new Error("looked up");
      },
    };
    const tell = tellDataChanges({ surfaces: blind, news });
    tell(raw, good);
    news.follow("ws_b", null, () => {});
    tell(raw, good);
    const heard: number[] = [];
    news.follow("ws_a", 0, ({ id }) => heard.push(id));
    expect(heard).toEqual([]);
  });

  it("but who comes back after having left hears what came between", () => {
    const news = createWorkspaceEvents(() => {});
    news.follow("ws_a", null, () => {}).end();
    tellDataChanges({ surfaces, news })(raw, good);
    const heard: string[] = [];
    expect(news.follow("ws_a", 0, ({ type }) => heard.push(type)).gap).toBe(false);
    expect(heard).toEqual(["data.changed"]);
  });
});

describe("a whole host", () => {
  it("tells members of what was changed through any door, and not of what was read or refused", async () => {
    const place = makePlace();
    place.configure({ bundles: [{ path: place.bundle("echo") }] });
    const host = await place.start();
    await host.until("echo", "running");
    const heard = await host.follow();
    await host.call("echo__echo", {});
    await host.rest("POST", "/v1/tools/call", { name: "files__list" });
    await host.rest("POST", "/v1/tools/call", { name: "echo__nope" });
    await host.rest("POST", "/v1/tools/call", { name: "files__create", arguments: { filename: "a", body: "b" } });
    await until(() => heard.some(({ data }) => data["server"] === "files"));
    const told = heard.filter(({ type }) => type === "data.changed").map(({ data }) => withoutTime(data));
    expect(told).toEqual(["echo echo program", "files create rest"]);
  });
});

const withoutTime = ({ server, tool, origin }: NumberedEvent["data"]): string => [server, tool, origin].join(" ");
