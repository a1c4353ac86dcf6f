/** The clock that runs have outside tests. */
import { expect, test } from "vitest";
import { REAL_CLOCK } from "./real-clock.ts";

test("a wait ends with the signal, also with one that is aborted already", async () => {
  const controller = new AbortController();
  const wait = REAL_CLOCK.sleep(3_600_000, controller.signal);
  controller.abort();
  await expect(wait).resolves.toBeUndefined();
  await expect(REAL_CLOCK.sleep(3_600_000, controller.signal)).resolves.toBeUndefined();
});

test("a wait ends by itself", async () => {
  await expect(REAL_CLOCK.sleep(1, new AbortController().signal)).resolves.toBeUndefined();
});
