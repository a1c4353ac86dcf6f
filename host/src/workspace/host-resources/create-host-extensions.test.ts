import { afterEach, beforeEach, describe, expect, it } from "vitest";
import fc from "fast-check";
import type { ExtensionPort } from "../../kernel/host-extension.ts";
import { openExtensions, SETTINGS, type TestExtensions } from "./bundle-for-tests.ts";
import { ByteGate } from "./byte-gate.ts";
import { TokenBucket } from "./token-bucket.ts";

const READ = "ai.nimblebrain/resources/read";
const LIST = "ai.nimblebrain/resources/list";
const KEY = "ai.nimblebrain/host-resources";

let host: TestExtensions;
beforeEach(() => {
  host = openExtensions();
});
afterEach(() => host.end());

/** Codes of so many requests, one after the other. */
const codes = async (port: ExtensionPort, times: number, params: unknown = {}): Promise<(number | null)[]> => {
  const all: (number | null)[] = [];
  for (let i = 0; i < times; i++) {
    const answer = await port.serve(LIST, params);
    all.push(answer.kind === "error" ? answer.code : null);
  }
  return all;
};
const wait = async (port: ExtensionPort): Promise<unknown> =>
  (JSON.parse((await port.serve(LIST, {})).json) as { data?: unknown }).data;

describe("how often a bundle may ask", () => {
  beforeEach(async () => {
    await host.end();
    host = openExtensions({ settings: () => ({ ...SETTINGS, ratePerSecond: 4, burst: 3 }) });
  });

  it("is a burst, then the rate; what fails later costs as much, and a refusal for the rate costs nothing", async () => {
    const port = host.port();
    expect(await codes(port, 1, { cursor: "x" })).toEqual([-32602]);
    expect(await codes(port, 4)).toEqual([null, null, -32004, -32004]);
    expect(await wait(port)).toEqual({ retryAfterMs: 250 });
    host.clock.now += 249;
    expect(await wait(port)).toEqual({ retryAfterMs: 1 });
    host.clock.now += 1;
    expect(await codes(port, 2)).toEqual([null, -32004]);
    expect(host.uses.filter(({ code }) => code === -32004).every(({ outcome }) => outcome === "denied")).toBe(true);
  });

  it("is decided before the params are looked at, and after whether it is offered", async () => {
    const port = host.port();
    await codes(port, 3);
    expect((await port.serve(READ, { uri: 1 })).kind).toBe("error");
    expect(host.uses.at(-1)?.code).toBe(-32004);
    await port.serve("ai.nimblebrain/resources/write", {});
    expect(host.uses.at(-1)?.code).toBe(-32601);
  });

  it("is the bundle's in its workspace: a new start finds what was left, another bundle has its own", async () => {
    await codes(host.port(), 3);
    expect(await codes(host.port(), 1)).toEqual([-32004]);
    expect(await codes(host.port("ws_default", "other"), 1)).toEqual([null]);
    expect(await codes(host.port("ws_other"), 1)).toEqual([null]);
  });

  it("is never more than the burst, and a clock that is set back gives nothing away", async () => {
    const port = host.port();
    host.clock.now += 3_600_000;
    expect(await codes(port, 4)).toEqual([null, null, null, -32004]);
    host.clock.now -= 7_200_000;
    expect(await codes(port, 1)).toEqual([-32004]);
    host.clock.now += 250;
    expect(await codes(port, 2)).toEqual([null, -32004]);
  });
});

it("over any stretch of time no more is taken than the burst and what the rate adds, and waiting as told is enough", () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 200 }), (pauses) => {
      const bucket = new TokenBucket(() => ({ ratePerSecond: 10, burst: 5 }), 0);
      let [now, taken] = [0, 0];
      for (const pause of pauses) {
        now += pause;
        const retryAfterMs = bucket.take(now);
        if (retryAfterMs > 1) expect(bucket.take(now + retryAfterMs - 1)).toBe(1);
        now += retryAfterMs;
        if (retryAfterMs > 0) expect(bucket.take(now)).toBe(0);
        taken++;
      }
      expect(taken).toBeLessThanOrEqual(5 + now / 100);
    }),
  );
});

it("files that are read at once never hold more than the gate lets in, and each gets its turn in order", async () => {
  const gate = new ByteGate(10);
  let [inside, most] = [0, 0];
  const order: number[] = [];
  const sizes = [4, 4, 4, 25, 1, 10, 0, 3];
  await Promise.all(
    sizes.map((size, index) =>
      gate.hold(size, async () => {
        order.push(index);
        inside += size;
        if (size <= 10) most = Math.max(most, inside);
        await new Promise((resolve) => setImmediate(resolve));
        inside -= size;
      }),
    ),
  );
  expect(most).toBeLessThanOrEqual(10);
  expect(order).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  await expect(gate.hold(10, () => Promise.reject(new Error("no")))).rejects.toThrow("no");
  expect(await gate.hold(10, () => Promise.resolve("in"))).toBe("in");
});

describe("the token of a bundle that asks over HTTP", () => {
  const told = (port: ExtensionPort): { endpoint: string; token: string; expiresAt: string } =>
    (JSON.parse(`{${port.meta()}}`) as Record<string, { endpoint: string; token: string; expiresAt: string }>)[
      KEY
    ] as never;

  it("is told with the address and the time, stays the same, and finds the bundle", async () => {
    const port = host.port();
    const { endpoint, token, expiresAt } = told(port);
    expect(endpoint).toBe("http://127.0.0.1:7420/ext/host-resources");
    expect(Date.parse(expiresAt)).toBe(host.clock.now + 900_000);
    expect(port.meta()).toBe(port.meta());
    await host.add("mine");
    const answer = await host.extensions.find(token)?.serve(LIST, {});
    expect(JSON.parse(answer?.json ?? "")).toMatchObject({ resources: [{ size: 4 }] });
    expect(host.uses.at(-1)?.bundle).toEqual({ workspace: "ws_default", provider: "research" });
  });

  it("is good for one bundle of one workspace", async () => {
    const { token } = told(host.port("ws_other", "b"));
    await host.extensions.find(token)?.serve(LIST, {});
    expect(host.uses.at(-1)?.bundle).toEqual({ workspace: "ws_other", provider: "b" });
    for (const wrong of ["", token.slice(1), `${token}x`, token.toUpperCase(), "x".repeat(1_000_000)])
      expect(host.extensions.find(wrong)).toBeNull();
  });

  it("is renewed before it runs out, and the one before is good for as long as it said", () => {
    const port = host.port();
    const first = told(port).token;
    host.clock.now += 599_999;
    expect(told(port).token).toBe(first);
    host.clock.now += 1;
    const second = told(port).token;
    expect(second).not.toBe(first);
    expect(host.extensions.find(first)).not.toBeNull();
    host.clock.now += 299_999;
    expect(host.extensions.find(first)).not.toBeNull();
    host.clock.now += 1;
    expect(host.extensions.find(first)).toBeNull();
    expect(host.extensions.find(second)).not.toBeNull();
  });

  it("is useless once the bundle has stopped, and the next start is given another", () => {
    const port = host.port();
    const other = host.port("ws_default", "other");
    const [first, kept] = [told(port).token, told(other).token];
    host.clock.now += 700_000;
    const second = told(port).token;
    port.close();
    expect([host.extensions.find(first), host.extensions.find(second)]).toEqual([null, null]);
    expect(host.extensions.find(kept)).not.toBeNull();
    expect(port.meta()).toBe("");
    port.open();
    const third = told(port).token;
    expect(third).not.toBe(second);
    expect(host.extensions.find(third)).not.toBeNull();
  });

  it("is not told while nobody listens, and anew when the address is another", () => {
    const port = host.port();
    host.clock.origin = null;
    expect(port.meta()).toBe("");
    host.clock.origin = "http://127.0.0.1:1";
    expect(told(port).endpoint).toBe("http://127.0.0.1:1/ext/host-resources");
    host.clock.origin = "http://127.0.0.1:2";
    expect(told(port).endpoint).toBe("http://127.0.0.1:2/ext/host-resources");
  });
});
