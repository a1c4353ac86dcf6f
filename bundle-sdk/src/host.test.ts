import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { host } from "./host.ts";
import { HostCapabilityMissing } from "./host-capability-missing.ts";
import { HostResourceError } from "./host-resource-error.ts";
import { InvalidParams } from "./invalid-params.ts";
import { LINKED, type Use } from "./linked-servers-for-tests.ts";
import { ADVERTISED, type Answering } from "./played-host-for-tests.ts";
import { RateLimited } from "./rate-limited.ts";
import { ResourceNotFound } from "./resource-not-found.ts";
import { ResponseTooLarge } from "./response-too-large.ts";

const KEY = "ai.nimblebrain/host-resources";
const URI = "files://fl_0123456789abcdef01234567";
const CONTENTS = [{ uri: URI, mimeType: "text/plain", text: "a seed" }];
const answer: Answering = ({ method }) =>
  method === "ai.nimblebrain/resources/read" ? { result: { contents: CONTENTS } } : { result: { resources: [] } };

const probe: Use = (h) =>
  JSON.stringify([h.available, h.listAvailable, h.supportsScheme("files"), h.supportsScheme("s3")]);

const caught = (promise: Promise<unknown>): Promise<any> =>
  promise.then(
    () => null,
    (error: unknown) => error,
  );

interface Ran {
  readonly text: string;
  readonly asked: readonly object[];
}

const FAULTS = [
  { code: -32002, data: { uri: URI }, kind: ResourceNotFound, members: { uri: URI } },
  { code: -32004, data: { retryAfterMs: 7 }, kind: RateLimited, members: { retryAfterMs: 7 } },
  { code: -32005, data: { uri: URI, size: 2, maxSize: 1 }, kind: ResponseTooLarge, members: { size: 2, maxSize: 1 } },
  { code: -32602, data: { uri: URI, supported: ["files"] }, kind: InvalidParams, members: {} },
  { code: -32602, data: { param: "uri", receivedType: "number" }, kind: InvalidParams, members: {} },
  { code: -32601, data: { method: "x" }, kind: HostResourceError, members: {} },
  { code: -32004, data: null, kind: RateLimited, members: { retryAfterMs: 1_000 } },
  { code: -32005, data: { size: "2" }, kind: ResponseTooLarge, members: { size: null, maxSize: null } },
] as const;

describe.each(Object.entries(LINKED))("given: %s", (_name, link) => {
  /** Runs `use` inside a tool, behind a handshake with these capabilities. */
  const run = async (capabilities: object, use: Use, answering = answer): Promise<Ran> => {
    const played = await link(use, answering);
    await played.initialize(capabilities);
    const { text } = await played.call("read");
    return { text, asked: played.asked.map(({ method, params }) => ({ method, params })) };
  };

  it("sees under extensions or experimental what the host offers", async () => {
    expect(await run({ extensions: ADVERTISED }, probe)).toEqual({ text: "[true,true,true,false]", asked: [] });
    expect(await run({ experimental: ADVERTISED }, probe)).toEqual({ text: "[true,true,true,false]", asked: [] });
  });

  it("sees nothing where the host says nothing, or something malformed", async () => {
    const malformed = { [KEY]: { read: true, list: { enabled: "true" }, schemes: "files" } };
    for (const capabilities of [{}, { extensions: malformed }, { extensions: malformed, experimental: ADVERTISED }]) {
      expect(await run(capabilities, probe)).toEqual({ text: "[false,false,false,false]", asked: [] });
    }
  });

  it("reads", async () => {
    const ran = await run({ extensions: ADVERTISED }, async (h) => JSON.stringify(await h.read(URI)));
    expect(JSON.parse(ran.text)).toEqual({ contents: CONTENTS });
    expect(ran.asked).toEqual([{ method: "ai.nimblebrain/resources/read", params: { uri: URI } }]);
  });

  it("lists by a filter, and with empty params without one", async () => {
    const { text, asked } = await run({ extensions: ADVERTISED }, async (h) => {
      await h.list({ mimeType: "text/plain", tags: ["a"] });
      return JSON.stringify(await h.list());
    });
    expect(text).toBe('{"resources":[]}');
    const filter = { mimeType: "text/plain", tags: ["a"] };
    expect(asked).toEqual([
      { method: "ai.nimblebrain/resources/list", params: { _meta: { filter } } },
      { method: "ai.nimblebrain/resources/list", params: {} },
    ]);
  });

  it("sends nothing that is not advertised", async () => {
    const { text, asked } = await run({ extensions: { [KEY]: { read: { enabled: false } } } }, async (h) => {
      const errors = [await caught(h.read(URI)), await caught(h.list())];
      return JSON.stringify(errors.map((error) => [error instanceof HostCapabilityMissing, error.capabilityKey]));
    });
    expect({ text, asked }).toEqual({
      text: JSON.stringify([
        [true, KEY],
        [true, KEY],
      ]),
      asked: [],
    });
  });

  it.each(FAULTS)(
    "gets $code with its data and its kind, and does not try again",
    async ({ code, data, kind, members }) => {
      let error: any = null;
      const use: Use = async (h) => {
        error = await caught(h.read(URI));
        return "";
      };
      const { asked } = await run({ extensions: ADVERTISED }, use, () => ({
        error: { code, message: "The host says no.", data },
      }));
      expect(error).toBeInstanceOf(kind);
      expect(error).toMatchObject({ code, message: "The host says no.", name: kind.name, ...members });
      expect(error.data ?? null).toEqual(data);
      expect(asked).toHaveLength(1);
    },
  );

  it("makes an error of an answer of another shape", async () => {
    for (const result of [{}, { contents: "all" }, { contents: [null] }, { contents: [{ text: "no uri" }] }]) {
      const use: Use = async (h) => String((await caught(h.read(URI))).code);
      expect((await run({ extensions: ADVERTISED }, use, () => ({ result }))).text).toBe("-32603");
    }
  });
});

describe("without a library", () => {
  it("takes the capabilities and a function that sends", async () => {
    const sent: object[] = [];
    const h = host({
      clientCapabilities: { extensions: ADVERTISED },
      request: (request) => {
        sent.push(request);
        return Promise.resolve({ contents: CONTENTS });
      },
    });
    expect([h.available, h.listAvailable, h.supportsScheme("files")]).toEqual([true, true, true]);
    expect(await h.read(URI)).toEqual({ contents: CONTENTS });
    expect(sent).toEqual([{ method: "ai.nimblebrain/resources/read", params: { uri: URI } }]);
  });
  it("leaves a failure alone that is no answer of the host", async () => {
    const closed = Object.assign(new Error("closed"), { code: "EPIPE" });
    const h = host({ clientCapabilities: { extensions: ADVERTISED }, request: () => Promise.reject(closed) });
    expect(await caught(h.read(URI))).toBe(closed);
  });
  it.each(["AbortError", "TimeoutError"])("leaves an %s alone, although it has a number too", async (name) => {
    const ended = new DOMException("The operation was ended.", name);
    const h = host({ clientCapabilities: { extensions: ADVERTISED }, request: () => Promise.reject(ended) });
    expect(await caught(h.read(URI))).toBe(ended);
  });
  it.each([
    null,
    undefined,
    1,
    "files",
    [],
    { extensions: [ADVERTISED] },
    { extensions: { [KEY]: null } },
    { extensions: { [KEY]: [] } },
  ])("finds nothing in the capabilities %j", (clientCapabilities) => {
    const h = host({ clientCapabilities, request: () => Promise.reject(new Error("sent")) });
    expect([h.available, h.listAvailable, h.supportsScheme("files")]).toEqual([false, false, false]);
  });
});

describe("whatever a host says", () => {
  const anything = fc.oneof(
    fc.jsonValue(),
    fc.record({ read: fc.jsonValue(), list: fc.record({ enabled: fc.jsonValue() }), schemes: fc.jsonValue() }),
  );
  it("can be asked about without a throw and without a message", () => {
    fc.assert(
      fc.property(fc.constantFrom("extensions", "experimental"), anything, (place, said) => {
        const clientCapabilities = { [place]: { [KEY]: said } };
        const h = host({ clientCapabilities, request: () => Promise.reject(new Error("sent")) });
        const { read, list, schemes } = (said ?? {}) as any;
        expect(h.available).toBe(!Array.isArray(said) && read?.enabled === true);
        expect(h.listAvailable).toBe(!Array.isArray(said) && list?.enabled === true);
        expect(h.supportsScheme("files")).toBe(Array.isArray(schemes) && schemes.includes("files"));
      }),
    );
  });
});

describe("something that cannot be used", () => {
  it("is refused with what to write instead", () => {
    const send = (): Promise<unknown> => Promise.resolve();
    expect(() => host({ sendRequest: send })).toThrow("Write: host(extra, server)");
    expect(() => host({ mcpReq: { send } })).toThrow("Write: host(ctx, server)");
    expect(() => host({} as never)).toThrow("It takes an MCP server");
    expect(() => host(null as never)).toThrow("It takes an MCP server");
  });
});
