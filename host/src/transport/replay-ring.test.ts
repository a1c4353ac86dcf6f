import { describe, expect, it } from "vitest";
import { ReplayRing } from "./replay-ring.ts";

const textsAfter = (ring: ReplayRing, id: string): readonly string[] | undefined =>
  ring.after(id)?.events.map(({ text }) => text);

describe("a client that names the last event it saw", () => {
  it("gets what its own stream sent since, in order, and nothing of another", () => {
    const ring = new ReplayRing();
    const first = ring.add(1, "a");
    ring.add(2, "other");
    ring.add(1, "b");
    ring.add(1, "c");
    expect(textsAfter(ring, first.id)).toEqual(["b", "c"]);
  });

  it.each(["", "x", "1", "1-99", "-1-1", "1-1-1", "1e1-1", "9999999999999999-1"])("is told nothing for %j", (id) => {
    const ring = new ReplayRing();
    ring.add(1, "a");
    expect(ring.after(id)).toBeNull();
  });

  it("finds the newest 256 events, and no more than a mebibyte of them", () => {
    const ring = new ReplayRing();
    const first = ring.add(1, "first");
    for (let i = 0; i < 300; i++) ring.add(1, `${i}`);
    expect(textsAfter(ring, first.id)).toHaveLength(256);
    expect(textsAfter(ring, first.id)?.at(-1)).toBe("299");
    for (let i = 0; i < 5; i++) ring.add(1, "x".repeat(300_000));
    expect(textsAfter(ring, first.id)).toHaveLength(3);
  });

  it("an event that is larger than the ring leaves it empty", () => {
    const ring = new ReplayRing();
    const first = ring.add(1, "a");
    ring.add(1, "x".repeat(2_000_000));
    expect(textsAfter(ring, first.id)).toEqual([]);
  });
});
