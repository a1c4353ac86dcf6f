import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ExtensionPort } from "../../kernel/host-extension.ts";
import { askError } from "../../kernel/ask.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { openExtensions, SETTINGS, type TestExtensions } from "./bundle-for-tests.ts";
import type { ExtensionUse } from "./extension-use.ts";

const LIST = "ai.nimblebrain/resources/list";
const WRITE = "ai.nimblebrain/resources/write";

let host: TestExtensions;
beforeEach(() => {
  host = openExtensions({ settings: () => ({ ...SETTINGS, ratePerSecond: 1, burst: 1 }) });
});
afterEach(() => host.end());

const askOften = (port: ExtensionPort, method: string, times: number): Promise<unknown> =>
  Promise.all(Array.from({ length: times }, () => port.serve(method, {})));
const told = (uses: readonly ExtensionUse[] = host.uses): unknown[] =>
  uses.map(({ code, times }) => (times === undefined ? code : [code, times]));

describe("refusals that cost a bundle nothing", () => {
  it("are recorded once at once and then counted, each kind for itself, until the bundle stops", async () => {
    const port = host.port();
    await port.serve(LIST, {});
    await askOften(port, LIST, 50);
    await askOften(port, WRITE, 30);
    expect(told()).toEqual([null, -32004, -32601]);
    port.close();
    expect(told().slice(3)).toEqual([
      [-32004, 49],
      [-32601, 29],
    ]);
    expect(host.uses.at(-1)).toMatchObject({ bundle: { provider: "research" }, method: WRITE, outcome: "denied" });
    port.close();
    expect(host.uses).toHaveLength(5);
  });

  it("are written down with their number when the minute is over, and the next is told at once again", async () => {
    const port = host.port();
    await askOften(port, WRITE, 3);
    host.clock.now += 59_999;
    await port.serve(WRITE, {});
    expect(told()).toEqual([-32601]);
    host.clock.now += 1;
    await port.serve(WRITE, {});
    expect(told()).toEqual([-32601, [-32601, 3], -32601]);
  });

  it("of one bundle are not counted with those of another", async () => {
    const [one, other] = [host.port(), host.port("ws_default", "other")];
    await askOften(one, WRITE, 2);
    await askOften(other, WRITE, 2);
    expect(told()).toEqual([-32601, -32601]);
    other.close();
    expect(host.uses.at(-1)).toMatchObject({ bundle: { provider: "other" }, times: 1 });
    expect(host.uses).toHaveLength(3);
  });

  it("are slow to be answered, so that nobody can keep the host busy with them", async () => {
    const port = host.port();
    await port.serve(WRITE, {});
    const began = performance.now();
    for (let i = 0; i < 10; i++) await port.serve(WRITE, {});
    expect(performance.now() - began).toBeGreaterThan(80);
  });

  it("that could not be recorded are told when they can be again", async () => {
    let isFull = true;
    const uses: ExtensionUse[] = [];
    await host.end();
    host = openExtensions({
      record: async (use) => {
        if (isFull) throw new Refusal("evidence_unavailable", { message: "full", next: "free some space" });
        uses.push(use);
      },
    });
    const port = host.port();
    expect(await port.serve(WRITE, {})).toMatchObject({ code: -32000 });
    await askOften(port, WRITE, 2);
    port.close();
    await new Promise((resolve) => setImmediate(resolve));
    isFull = false;
    port.close();
    expect(told(uses)).toEqual([[-32601, 3]]);
    expect(host.bugs).toEqual([]);
  });
});

it("what a leg answers itself is recorded as it is answered", async () => {
  const full = askError(-32004, "full", { retryAfterMs: 1 });
  expect(await host.port().decline(LIST, {}, full)).toBe(full);
  expect(host.uses).toMatchObject([{ method: LIST, code: -32004, outcome: "denied" }]);
});

it("a bundle that has stopped, or has not started, is handed nothing and served nothing", async () => {
  const port = host.port();
  port.close();
  expect(port.meta()).toBe("");
  expect(await port.serve(LIST, {})).toMatchObject({ code: -32601 });
  port.open();
  expect(port.meta()).not.toBe("");
  expect(await port.serve(LIST, {})).toMatchObject({ kind: "result" });
});
