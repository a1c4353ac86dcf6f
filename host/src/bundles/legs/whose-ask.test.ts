import * as fc from "fast-check";
import { expect, test } from "vitest";
import type { ProviderRequest } from "../../kernel/provider.ts";
import { createAsker } from "./asker-for-tests.ts";
import { Asking } from "./asking.ts";
import { Exchange, type Phase } from "./exchange.ts";
import { isParked, whoseAsk } from "./whose-ask.ts";

interface Facts {
  readonly owner: string;
  readonly held: boolean;
  readonly phase: Phase;
}

const exchangeOf = ({ owner, held, phase }: Facts, id: number): Exchange => {
  const asker = createAsker();
  asker.park(held);
  const call = { owner, asker } as unknown as ProviderRequest;
  const rest = { params: "", meta: "", name: null, signal: null, listener: null, control: false, timeoutMs: 1 };
  const exchange = new Exchange({ ...rest, method: "tools/call", call }, () => {});
  exchange.id = id;
  exchange.phase = phase;
  exchange.asking = held ? new Asking() : null;
  exchange.asking?.out.add(new AbortController());
  return exchange;
};

const facts = fc.record({
  owner: fc.constantFrom("ann", "bob", "cid"),
  held: fc.boolean(),
  phase: fc.constantFrom<Phase>("sent", "ending"),
});

test("a question is brought to a call only when all calls that are open have the same caller", () => {
  fc.assert(
    fc.property(fc.array(facts, { maxLength: 6 }), (all) => {
      const calls = all.map(exchangeOf);
      const running = calls.filter((call) => !isParked(call));
      const possible = running.length > 0 ? running : calls;
      const owners = new Set(calls.map(({ options }) => options.call?.owner));
      const whose = whoseAsk(calls, null);
      if (owners.size === 0) expect(whose).toBeNull();
      else if (owners.size > 1) expect(whose).toBe("several");
      else expect(possible).toContain(whose);
    }),
  );
});

test("of one caller's calls it is the newest that is still wanted", () => {
  const wanted: Facts = { owner: "ann", held: false, phase: "sent" };
  const calls = [wanted, wanted, { ...wanted, phase: "ending" as const }].map(exchangeOf);
  expect(whoseAsk(calls, null)).toBe(calls[1]);
  expect(whoseAsk(calls.slice(2), null)).toBe(calls[2]);
  expect(whoseAsk(calls.toReversed(), null)).toBe(calls[1]);
});
