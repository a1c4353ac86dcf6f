import { EventEmitter } from "node:events";
import type { ServerResponse } from "node:http";
import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it } from "vitest";
import type { Caller } from "./authenticate.ts";
import { oneOfFew } from "./one-of-few.ts";

const askOf = (id: string, closed = false) => ({
  res: Object.assign(new EventEmitter(), { closed }) as unknown as ServerResponse,
  caller: { principal: { id, onBehalfOf: null } } as unknown as Caller,
  id,
});

it("two long reads run at once for each principal, the next when one of them is over, and not for who has left", async () => {
  const few = oneOfFew();
  const running: { readonly id: string; readonly end: () => void }[] = [];
  const run = few(
    ({ id }: ReturnType<typeof askOf>) =>
      new Promise<string>((resolve) => running.push({ id, end: () => resolve(id) })),
  );
  const reads = [run(askOf("a")), run(askOf("a")), run(askOf("a")), run(askOf("b"))];
  const left = run(askOf("a", true));
  await nextTurn();
  expect(running.map(({ id }) => id)).toEqual(["a", "a", "b"]);
  running[0]?.end();
  expect(await reads[0]).toBe("a");
  await nextTurn();
  expect(running.map(({ id }) => id)).toEqual(["a", "a", "b", "a"]);
  for (const { end } of running) end();
  expect(await Promise.all(reads)).toEqual(["a", "a", "a", "b"]);
  await expect(left).rejects.toMatchObject({ kind: "cancelled" });
});
