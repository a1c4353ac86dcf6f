import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { knock } from "../client-for-tests.ts";
import { CHP_HEADERS, openChpDoor, type ChpTestDoor } from "./chp-door-for-tests.ts";
import { MAX_BODY_BYTES } from "./read-chp-body.ts";

let door: ChpTestDoor;
beforeAll(async () => {
  door = await openChpDoor();
});
afterAll(() => door.listener.close());

const LONG = "x".repeat(257);
const POSTS = ["/invoke", "/explain", "/replay", "/witness", "/anchors", "/revocations"];

const errorOf = async (path: string, body: string | Buffer): Promise<[number, string, string]> => {
  const { status, json } = await door.ask(path, { method: "POST", body });
  return [status, json?.error?.code, json?.error?.message];
};

describe("bodies that are none", () => {
  it.each([
    ["", "invalid_json"],
    ["{", "invalid_json"],
    ["nonsense", "invalid_json"],
    ["\ufeff{}", "invalid_json"],
    ["[]", "bad_request"],
    ["null", "bad_request"],
    ['"text"', "bad_request"],
    ["7", "bad_request"],
    ['{"capability_id":"echo","capability_id":"other"}', "bad_request"],
    ["[".repeat(300) + "]".repeat(300), "bad_request"],
  ])("%j is %s everywhere", async (body, code) => {
    for (const path of POSTS) expect((await errorOf(path, body)).slice(0, 2)).toEqual([400, code]);
  });

  it("of bytes that are no text is invalid_json", async () => {
    expect((await errorOf("/invoke", Buffer.from([0x7b, 0xff, 0x7d]))).slice(0, 2)).toEqual([400, "invalid_json"]);
  });

  it("that is too large is 413, said before it is read", async () => {
    const { status, json } = await door.ask("/invoke", {
      method: "POST",
      headers: { ...CHP_HEADERS, "content-length": String(MAX_BODY_BYTES + 1) },
      body: "",
    });
    expect([status, json.error.code]).toEqual([413, "too_large"]);
  });

  it("that is as large as it may be is taken", async () => {
    const head = '{"capability_id":"echo","ignored":"';
    const body = `${head}${"x".repeat(MAX_BODY_BYTES - head.length - 2)}"}`;
    expect((await door.ask("/invoke", { method: "POST", body })).status).toBe(200);
  });
});

describe("envelopes that are none", () => {
  it.each([
    {},
    { capability_id: "" },
    { capability_id: null },
    { capability_id: 7 },
    { capability_id: "x".repeat(1025) },
    { capability_id: "echo", payload: [] },
    { capability_id: "echo", payload: null },
    { capability_id: "echo", payload: "text" },
    { capability_id: "echo", arguments: 1 },
    { capability_id: "echo", payload: {}, arguments: {} },
    { capability_id: "echo", correlation: "c" },
    { capability_id: "echo", correlation: [] },
    { capability_id: "echo", correlation: { correlation_id: "" } },
    { capability_id: "echo", correlation: { correlation_id: LONG } },
    { capability_id: "echo", correlation: { correlation_id: "a\nb" } },
    { capability_id: "echo", correlation: { correlation_id: "\u00e9" } },
    { capability_id: "echo", correlation: { correlation_id: 7 } },
    { capability_id: "echo", correlation: { causation_id: "\u0000" } },
    { capability_id: "echo", correlation_id: LONG },
    { capability_id: "echo", invocation_id: "" },
    { capability_id: "echo", invocation_id: LONG },
    { capability_id: "echo", invocation_id: {} },
    { capability_id: "echo", invocation_id: "host" },
    { capability_id: "echo", correlation_id: "host-identity-h" },
    { capability_id: "echo", correlation: { correlation_id: "host-policy-h" } },
    { capability_id: "echo", mode: "soon" },
    { capability_id: "echo", mode: 1 },
    { capability_id: "echo", requested_capability_version: 1 },
    { capability_id: "echo", version: "" },
    { capability_id: "echo", require_output_schema: "yes" },
    { capability_id: "echo", metadata: "m" },
    { capability_id: "echo", subject: { text: "x".repeat(9000) } },
    { capability_id: "echo", metadata: { context: { text: "x".repeat(9000) } } },
  ])("%j is bad_request, and nothing is called", async (body) => {
    const before = door.calls.length;
    const [status, code, message] = await errorOf("/invoke", JSON.stringify(body));
    expect([status, code]).toEqual([400, "bad_request"]);
    expect(message).toMatch(/\. \S.*\.$/);
    expect(door.calls.length).toBe(before);
  });

  it.each([
    ["9007199254740992", "/payload/a"],
    ["-9007199254740993", "/payload/a"],
    ["12345678901234567890", "/payload/a"],
    ["1e400", "/payload/a"],
    ["1e17", "/payload/a"],
  ])("a number %s is refused with its path", async (number, path) => {
    const [status, code, message] = await errorOf("/invoke", `{"capability_id":"echo","payload":{"a":${number}}}`);
    expect([status, code]).toEqual([400, "bad_request"]);
    expect(message).toContain(path);
  });

  it.each([
    "9007199254740991",
    "-9007199254740991",
    "0.1",
    "1e3",
    "-0",
    "0.30000000000000004",
    '"12345678901234567890"',
  ])("a value %s passes as it is", async (value) => {
    const body = `{"capability_id":"echo","payload":{"a":${value}}}`;
    expect((await door.ask("/invoke", { method: "POST", body })).status).toBe(200);
    expect(door.calls.at(-1)?.argsJson).toBe(`{"a":${value}}`);
  });
});

describe("whatever comes", () => {
  const member = fc.constantFrom(
    "capability_id",
    "invocation_id",
    "correlation",
    "correlation_id",
    "mode",
    "payload",
    "arguments",
    "version",
    "requested_capability_version",
    "require_output_schema",
    "approval_ref",
    "mandate",
    "subject",
    "actor",
    "metadata",
    "limit",
    "since_sequence",
    "include_payloads",
    "as",
    "__proto__",
    "constructor",
  );

  it("is answered with 200 or a 4xx that names a code and a next step, never by a bug", async () => {
    const bodies = fc.oneof(
      fc
        .dictionary(member, fc.oneof(fc.jsonValue(), fc.constant("echo"), fc.constant({ correlation_id: "c" })))
        .map((value) => JSON.stringify({ capability_id: "echo", ...value })),
      fc.json(),
      fc.string(),
    );
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...POSTS), bodies, async (path, body) => {
        const { status, json } = await door.ask(path, { method: "POST", body });
        if (status === 200) return;
        expect([400, 403, 409]).toContain(status);
        expect(json.error).toEqual({ code: expect.stringMatching(/^[a-z_]+$/), message: expect.stringContaining(".") });
      }),
      { numRuns: 300 },
    );
    expect(door.bugs).toEqual([]);
  });

  it("in an address is answered too", async () => {
    await fc.assert(
      fc.asyncProperty(fc.webPath(), fc.webQueryParameters(), async (path, query) => {
        const where = `/chp${path}${query === "" ? "" : `?${query}`}`;
        const { status } = await knock(door.origin, { method: "GET", path: where, headers: CHP_HEADERS });
        expect([200, 400, 401, 404, 405]).toContain(status);
      }),
      { numRuns: 200 },
    );
    expect(door.bugs).toEqual([]);
  });
});
