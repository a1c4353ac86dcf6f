import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { Answer, RawCall } from "../kernel/call.ts";
import { createHandleCall, type Stages } from "./handle-call.ts";

const diagram = readFileSync(new URL("../../../docs/one-call.md", import.meta.url), "utf8");
const spine = readFileSync(new URL("./handle-call.ts", import.meta.url), "utf8");

/** `call/evidence (open)` is the stage `open`; every other room is the stage of its name. */
const drawn = [...diagram.matchAll(/^ *(\d+) {2}call\/([a-z]+)(?: \(([a-z]+)\))?/gm)].map((row) => row[3] ?? row[2]);
const written = [...spine.matchAll(/= (?:await )?stages\.([a-z]+)\(|return stages\.([a-z]+)\([a-z]*closed/gm)].map(
  (row) => row[1] ?? row[2],
);

const recording = (order: string[], failAt?: string): Stages => {
  const step = (name: string) => (call: unknown) => {
    order.push(name);
    if (name === failAt) throw new Error(`no at ${name}`);
    return call;
  };
  const names = [...drawn, "refuse"] as (keyof Stages)[];
  return Object.fromEntries(names.map((name) => [name, step(name)])) as unknown as Stages;
};

describe("the spine", () => {
  it("has the stages of docs/one-call.md in their order", () => {
    expect(drawn).toHaveLength(11);
    expect(written).toEqual(drawn);
  });

  it("numbers the stages in the diagram without a gap", () => {
    const numbers = [...diagram.matchAll(/^ *(\d+) {2}(?:call|transport)/gm)].map((row) => Number(row[1]));
    expect(numbers).toEqual(Array.from({ length: 12 }, (_, i) => i + 1));
  });

  it("runs them one after the other", async () => {
    const order: string[] = [];
    await createHandleCall(recording(order))({} as RawCall);
    expect(order).toEqual(drawn);
  });

  it.each(drawn)("stops at %s when that stage says no, and goes to refuse", async (stage) => {
    const order: string[] = [];
    const answer: Answer = await createHandleCall(recording(order, stage))({} as RawCall);
    expect(order).toEqual([...drawn.slice(0, drawn.indexOf(stage) + 1), "refuse"]);
    expect(answer).toEqual({});
  });

  it("has no branches and one catch", () => {
    const body = spine.slice(spine.indexOf("createHandleCall"));
    expect(body).not.toMatch(/\bif\b|\?|&&|\|\||\bswitch\b|\bfor\b|\bwhile\b/);
    expect(body.match(/\bcatch\b/g)).toHaveLength(1);
  });
});
