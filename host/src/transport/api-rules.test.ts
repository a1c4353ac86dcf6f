import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { REFUSALS, type RefusalKind } from "../kernel/refusals.ts";
import { JSON_HEADERS, knock, type Said } from "./client-for-tests.ts";
import { openTestDoor, OWNER, type TestDoor } from "./door-for-tests.ts";

interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly isOpen: boolean;
  readonly hasBody: boolean;
  readonly isBodyOptional: boolean;
}

let door: TestDoor;
let endpoints: readonly Endpoint[];
let cookie: string;

const AUTH = { authorization: `Bearer ${OWNER}` };

beforeAll(async () => {
  door = await openTestDoor();
  const { json } = await knock(door.origin, { method: "GET", path: "/v1/openapi.json" });
  endpoints = Object.entries<Record<string, any>>(json.paths).flatMap(([path, methods]) =>
    Object.entries<any>(methods).map(([method, { security, requestBody }]) => ({
      method: method.toUpperCase(),
      path: path.replaceAll(/\{\w+\}/g, "x"),
      isOpen: security !== undefined,
      hasBody: requestBody?.content["application/json"] !== undefined,
      isBodyOptional: requestBody?.required === false,
    })),
  );
  const body = { key: OWNER };
  const said = await knock(door.origin, { path: "/v1/auth/login", headers: JSON_HEADERS, body });
  cookie = (said.headers["set-cookie"]?.[0] ?? "").split(";")[0] ?? "";
});
afterAll(async () => {
  await door.listener.close();
  expect(door.bugs).toEqual([]);
});

/** Every endpoint asked so, and how each that should be refused answered. */
const askAll = async (
  isMeant: (endpoint: Endpoint) => boolean,
  ask: { readonly headers: Record<string, string>; readonly body?: string },
): Promise<readonly (readonly [Endpoint, Said])[]> => {
  const meant = endpoints.filter(isMeant);
  expect(meant.length).toBeGreaterThan(0);
  const said: [Endpoint, Said][] = [];
  for (const endpoint of meant) {
    said.push([endpoint, await knock(door.origin, { method: endpoint.method, path: endpoint.path, ...ask })]);
  }
  return said;
};

/** Those that were not refused so, with a message and the next step. */
const others = (all: readonly (readonly [Endpoint, Said])[], status: number, error: RefusalKind): readonly unknown[] =>
  all
    .filter(([, said]) => said.status !== status || said.json.error !== error || !isHelpful(said.json))
    .map(([{ method, path }, said]) => [method, path, said.status, said.text]);

const isHelpful = ({ message, remedy }: { readonly message?: unknown; readonly remedy?: unknown }): boolean =>
  [message, remedy].every((text) => typeof text === "string" && text !== "");

const every = (): boolean => true;
const closed = ({ isOpen }: Endpoint): boolean => !isOpen;

describe("every endpoint", () => {
  it("wants a credential, but for those that say they do not", async () => {
    expect(others(await askAll(closed, { headers: {} }), 401, "unauthenticated")).toEqual([]);
    expect(
      others(await askAll(closed, { headers: { authorization: "Bearer wrong" } }), 401, "unauthenticated"),
    ).toEqual([]);
    expect(
      others(await askAll(closed, { headers: { cookie: `bw_session=${"x".repeat(43)}` } }), 401, "unauthenticated"),
    ).toEqual([]);
  });

  it("answers to names of the host alone", async () => {
    expect(others(await askAll(every, { headers: { ...AUTH, host: "evil.example" } }), 421, "bad_host")).toEqual([]);
  });

  it("is not for pages of other sites, also of those that may use MCP", async () => {
    for (const origin of ["https://evil.example", "null", "https://app.example"]) {
      expect(others(await askAll(every, { headers: { ...AUTH, origin } }), 403, "bad_origin")).toEqual([]);
    }
  });

  it("does not tell a workspace of others from one that there is not", async () => {
    const texts = new Set<string>();
    for (const workspace of ["ws_theirs", "ws_none", "../etc", ""]) {
      const all = await askAll(closed, { headers: { ...AUTH, "x-workspace-id": workspace } });
      expect(others(all, 404, "not_found")).toEqual([]);
      for (const [, { text }] of all) texts.add(text);
    }
    expect(texts.size).toBe(1);
  });

  it("that changes something wants a header beside the cookie", async () => {
    const changes = ({ method, path }: Endpoint): boolean => method !== "GET" && path !== "/v1/auth/login";
    const before = [door.calls.length, door.asked.length];
    expect(
      others(await askAll(changes, { headers: { cookie, "content-type": "application/json" } }), 403, "bad_origin"),
    ).toEqual([]);
    expect([door.calls.length, door.asked.length]).toEqual(before);
  });
});

describe("every body", () => {
  const isRead = ({ hasBody }: Endpoint): boolean => hasBody;

  it("is JSON and says so", async () => {
    for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"]) {
      const headers = { ...AUTH, "content-type": type };
      expect(others(await askAll(isRead, { headers, body: "{}" }), 415, "unsupported_type")).toEqual([]);
    }
    expect(others(await askAll(isRead, { headers: AUTH, body: "{}" }), 415, "unsupported_type")).toEqual([]);
  });

  it("has at most 1 MiB", async () => {
    const headers = { ...AUTH, "content-type": "application/json" };
    const body = `{"pad":"${"x".repeat(1_048_576)}"}`;
    expect(others(await askAll(isRead, { headers, body }), 413, "too_large")).toEqual([]);
  });

  it("is an object, whole and not broken", async () => {
    const headers = { ...AUTH, "content-type": "application/json" };
    for (const body of ["[]", "null", "{", '"x"']) {
      expect(others(await askAll(isRead, { headers, body }), 400, "bad_request")).toEqual([]);
    }
    const needed = (endpoint: Endpoint): boolean => endpoint.hasBody && !endpoint.isBodyOptional;
    for (const [{ method, path }, { status }] of await askAll(needed, { headers, body: "{}" })) {
      expect([method, path, status]).toEqual([method, path, 400]);
    }
  });
});

describe("the contract of the API", () => {
  it.each([
    "POST /v1/auth/login",
    "POST /v1/auth/logout",
    "GET /v1/auth/session",
    "POST /v1/chat",
    "POST /v1/chat/stream",
    "GET /v1/runs/x/events",
    "GET /v1/runs/x/prompt",
    "POST /v1/prompt",
    "GET /v1/conversations",
    "GET /v1/conversations/x/history",
    "PATCH /v1/conversations/x",
    "DELETE /v1/conversations/x",
    "POST /v1/conversations/x/fork",
    "POST /v1/conversations/x/cancel",
    "GET /v1/apps",
    "GET /v1/apps/x",
    "POST /v1/apps/install",
    "DELETE /v1/apps/x",
    "POST /v1/apps/x/start",
    "POST /v1/apps/x/stop",
    "POST /v1/apps/x/restart",
    "POST /v1/apps/x/accept",
    "GET /v1/apps/x/resources/x",
    "POST /v1/tools/call",
    "GET /v1/tools",
    "POST /v1/tools/explain",
    "GET /v1/skills",
    "GET /v1/skills/x",
    "GET /v1/approvals",
    "GET /v1/approvals/x",
    "POST /v1/approvals/x",
    "GET /v1/evidence",
    "GET /v1/evidence/x",
    "GET /v1/evidence/trace/x",
    "GET /v1/evidence/export",
    "GET /v1/evidence/verify",
    "GET /v1/files",
    "POST /v1/files",
    "GET /v1/files/x",
    "DELETE /v1/files/x",
    "GET /v1/health",
    "GET /v1/events",
  ])("has %s", (endpoint) => {
    expect(endpoints.map(({ method, path }) => `${method} ${path}`)).toContain(endpoint);
  });

  it.each<[number, readonly RefusalKind[]]>([
    [202, ["approval_pending"]],
    [400, ["bad_request", "credentials_required"]],
    [401, ["unauthenticated"]],
    [403, ["policy_denied", "protected", "outside_skill", "outside_request", "outside_app", "bad_origin"]],
    [404, ["not_found", "unknown_tool"]],
    [409, ["already_installed", "name_taken", "run_in_progress", "stale_surface", "definition_changed", "disabled"]],
    [413, ["too_large"]],
    [415, ["unsupported_type"]],
    [421, ["bad_host"]],
    [422, ["invalid_input", "install_refused", "capability_missing"]],
    [429, ["rate_limited"]],
    [502, ["upstream_failed", "model_failed", "indeterminate"]],
    [503, ["not_ready", "model_unconfigured", "evidence_unavailable"]],
    [504, ["timed_out"]],
  ])("says %i for %j", (status, kinds) => {
    for (const kind of kinds) expect([kind, REFUSALS[kind].rest]).toEqual([kind, status]);
  });
});
