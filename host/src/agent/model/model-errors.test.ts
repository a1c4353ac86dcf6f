/** How a model call fails, on both wires: the kind that decides whether it is tried again, and what a person reads. */
import fc from "fast-check";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { describe, expect, onTestFinished, test } from "vitest";
import { createModels } from "./create-models.ts";
import { guardFetch } from "./guard-fetch.ts";
import { collect, configOf, fail, KEY, ON_WIRES, OTHER_KEY, requestFor, startModels } from "./models-for-tests.ts";
import type { StubTurn } from "./stub-turn-for-tests.ts";

type Row = readonly [kind: string, turn: StubTurn];
const status = (code: number, message = "no", type = "invalid_request_error"): StubTurn => ({
  error: { status: code, message, type },
});

const ROWS: readonly Row[] = [
  ["rate_limited", status(429, "slow down", "rate_limit_error")],
  ["overloaded", status(529, "Overloaded", "overloaded_error")],
  ["overloaded", status(500)],
  ["overloaded", { error: { status: 502, body: "<html>Bad gateway</html>" } }],
  ["overloaded", status(503)],
  ["refused", status(401, "invalid x-api-key", "authentication_error")],
  ["refused", status(403, "not yours", "permission_error")],
  ["refused", { error: { status: 401, body: { type: "gate_error", message: "who are you" } } }],
  ["refused", status(429, "You exceeded your current quota", "insufficient_quota")],
  ["overflow", status(400, "prompt is too long: 213462 tokens > 200000 maximum")],
  ["overflow", status(400, "input length and `max_tokens` exceed context limit: 198000 + 16384 > 200000")],
  ["overflow", status(413, "Request exceeds the maximum size", "request_too_large")],
  [
    "overflow",
    status(400, "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000."),
  ],
  ["overflow", status(400, "too much", "context_length_exceeded")],
  ["overflow", status(400, "the request exceeds the available context size", "exceed_context_size_error")],
  ["bad_request", status(400, "max_tokens: 0 is less than 1")],
  ["bad_request", status(404, "model: claude-9", "not_found_error")],
  ["bad_request", { error: { status: 404, body: { error: 'model "x" not found, try pulling it first' } } }],
  ["bad_request", { error: { status: 307, headers: { location: "https://elsewhere.example/" } } }],
  ["network", status(408)],
  ["network", { error: "reset" }],
  ["network", { text: "x", fault: "cut" }],
  ["network", { fault: "cut" }],
  ["network", { text: "x", fault: "malformed" }],
  ["network", { fault: "malformed" }],
  ["network", { text: "x", fault: "end" }],
  ["network", { calls: [{ name: "a__b" }], fault: "end" }],
  ["overloaded", { text: "x", fault: { type: "overloaded_error", message: "Overloaded" } }],
  ["overloaded", { fault: { type: "overloaded_error", message: "Overloaded" } }],
  ["overloaded", { fault: { type: "api_error", message: "Internal" } }],
  ["rate_limited", { fault: { type: "rate_limit_error", message: "later" } }],
  ["overflow", { fault: { type: "invalid_request_error", message: "prompt is too long" } }],
  ["refused", { fault: { type: "authentication_error", message: "no" } }],
];

describe.each(ON_WIRES)("on %s", (_, model) => {
  test.each(ROWS)("%s after %j", async (kind, turn) => {
    const { stub, models } = await startModels();
    stub.script([turn]);
    const { before, error } = await fail(models.call(requestFor(model)));
    expect(error).toMatchObject({ name: "ModelError", kind });
    expect(error).not.toHaveProperty("cause");
    // What can be tried again has shown nothing yet, unless there was text.
    const shown = turn.text === undefined ? [] : [{ type: "text", text: "x" }];
    // A lost connection may take with it what was not read yet.
    expect(turn.fault === "cut" ? [[], shown] : [shown]).toContainEqual(before);
    expect(stub.requests()).toHaveLength(1);
  });

  test.each([
    [{ "retry-after": "7" }, 7000],
    [{ "retry-after": "1.5" }, 1500],
    [{ "retry-after-ms": "250", "retry-after": "1" }, 250],
    [{ "retry-after": "Thu, 01 Jan 2015 00:00:00 GMT" }, 0],
    [{ "retry-after": "99999999999999999999" }, 86_400_000],
    [{ "retry-after": "-5" }, 0],
    [{ "retry-after": "soon" }, null],
    [{}, null],
  ] as const)("with headers %j it may be tried again after %j ms", async (headers, retryAfterMs) => {
    const { stub, models } = await startModels();
    stub.script([{ error: { status: 429, headers } }]);
    expect((await fail(models.call(requestFor(model)))).error.retryAfterMs).toBe(retryAfterMs);
  });

  test("a refused key is named, never shown", async () => {
    const { stub, models } = await startModels();
    const isDefault = !model.includes(":");
    const key = isDefault ? KEY : OTHER_KEY;
    stub.script([status(401, `Incorrect API key provided: ${key.slice(0, 12)}***.`)]);
    const { error } = await fail(models.call(requestFor(model)));
    expect(error.message).toContain(`refused the key in ${isDefault ? "ANTHROPIC_API_KEY" : "LOCAL"} (401`);
    expect(error.message).not.toContain(key.slice(0, 12));
  });

  test("a provider that repeats the key, anywhere in any answer, does not get it into a message", async () => {
    const { stub, models } = await startModels();
    const key = model.includes(":") ? OTHER_KEY : KEY;
    const texts = fc
      .string({ maxLength: 400 })
      .chain((a) => fc.string({ maxLength: 40 }).map((b) => `${a}${key}${b}${key}`));
    const codes = fc.constantFrom(400, 401, 404, 429, 500, 529);
    const turns = fc
      .tuple(texts, codes, fc.boolean())
      .map(([text, code, inStream]): StubTurn =>
        inStream ? { fault: { type: text, message: text } } : { error: { status: code, type: text, message: text } },
      );
    await fc.assert(
      fc.asyncProperty(turns, async (turn) => {
        stub.script([turn]);
        const { error } = await fail(models.call(requestFor(model)));
        expect(error.name).toBe("ModelError");
        expect(`${error.message} ${error.stack} ${JSON.stringify(error)}`).not.toContain(key.slice(0, 14));
        // oxlint-disable-next-line no-control-regex -- that there is none is the point
        expect(error.message).not.toMatch(/[\u0000-\u001f\u007f]/);
        expect(error.message.length).toBeLessThan(1200);
      }),
      { numRuns: 40 },
    );
  });
});

test("an endpoint that nobody listens on is told by name and port", async () => {
  const { stub, models } = await startModels();
  const { host } = new URL(stub.url);
  await stub.close();
  const { error } = await fail(models.call(requestFor("local:x")));
  expect(error.kind).toBe("network");
  expect(error.message).toContain(`"local" at ${host} could not be reached`);
  expect(error.message).toContain("ECONNREFUSED");
});

test("a redirect is not followed, so the key stays where it was meant to go", async () => {
  const { stub, models } = await startModels();
  stub.script([
    { error: { status: 307, headers: { location: stub.url.replace("/v1", "/v1/messages") } } },
    { text: "got it" },
  ]);
  await fail(models.call(requestFor("claude-sonnet-4-5-20250929")));
  expect(stub.requests()).toHaveLength(1);
});

test("an answer without end is ended", async () => {
  const endless = createServer((_, res) => {
    res.writeHead(200, { "content-type": "text/event-stream" });
    const more = (): void => {
      while (res.write("x".repeat(65_536)));
    };
    res.on("drain", more);
    more();
  });
  await new Promise<void>((resolve) => endless.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => endless.close().closeAllConnections());
  const baseURL = `http://127.0.0.1:${(endless.address() as AddressInfo).port}`;
  const config = configOf({ providers: { local: { type: "openai-compatible", baseURL, headers: {} } } });
  const models = createModels({ config, env: {}, fetch: guardFetch(globalThis.fetch, 1_000_000) });
  const { error } = await fail(models.call(requestFor("local:x")));
  expect(error).toMatchObject({
    kind: "bad_request",
    message: "The answer of the model is longer than 1000000 bytes.",
  });
});

test("a provider without a key is called without one, and says so when that is refused", async () => {
  const { stub } = await startModels();
  const config = configOf({
    providers: { local: { type: "openai-compatible", baseURL: stub.url, headers: { "x-team": "blue" } } },
  });
  const models = createModels({ config, env: { ANTHROPIC_API_KEY: KEY } });
  stub.script([{ text: "hi" }, status(401)]);
  await collect(models.call(requestFor("local:x")));
  expect(stub.requests()[0]?.headers).toMatchObject({ "x-team": "blue" });
  expect(stub.requests()[0]?.headers["authorization"]).toBeUndefined();
  const { error } = await fail(models.call(requestFor("local:x")));
  expect(error.message).toContain('no key is set: set "providers.local.apiKey" in bailiwick.json');
});
