import { expect, test } from "vitest";
import { Places } from "./places.ts";

test("no more run at once than there are places, in order, and one that gives up takes none", async () => {
  const places = new Places(2);
  const { signal } = new AbortController();
  const [begun, ends] = [[] as number[], [] as (() => void)[]];
  const run = (at: number, own = signal): Promise<void> =>
    places.run(own, () => {
      begun.push(at);
      return new Promise((resolve) => ends.push(resolve));
    });
  const stop = new AbortController();
  const [, , third, fourth] = [run(1), run(2), run(3, stop.signal), run(4)];
  await Promise.resolve();
  expect(begun).toEqual([1, 2]);
  stop.abort(new Error("gave up"));
  await expect(third).rejects.toThrow("gave up");
  ends[0]!();
  await expect.poll(() => begun).toEqual([1, 2, 4]);
  ends[2]!();
  await fourth;
  await expect(run(5, AbortSignal.abort(new Error("too late")))).rejects.toThrow("too late");
  void run(6);
  await expect.poll(() => begun).toEqual([1, 2, 4, 6]);
});
