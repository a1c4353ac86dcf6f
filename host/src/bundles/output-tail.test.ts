import * as fc from "fast-check";
import { expect, test } from "vitest";
import { OutputTail } from "./output-tail.ts";
import { Redaction } from "./redaction.ts";

test("the last 200 lines are kept whole, however the bytes were cut into chunks", () => {
  const line = fc.string({ maxLength: 30 }).map((text) => text.replace(/[\r\n]/g, "_"));
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 450 }),
      fc.array(fc.integer({ min: 1, max: 300 }), { maxLength: 60 }),
      (lines, cuts) => {
        const tail = new OutputTail(new Redaction());
        let rest = Buffer.from(lines.map((each) => `${each}\n`).join(""));
        for (const cut of cuts) {
          tail.push(rest.subarray(0, cut));
          rest = rest.subarray(cut);
        }
        tail.push(rest);
        expect(tail.lines()).toEqual(lines.slice(-200));
      },
    ),
  );
});

test("a long line is cut at 8 KiB, also one that never ends", () => {
  const tail = new OutputTail(new Redaction());
  for (let i = 0; i < 100; i++) tail.push(Buffer.alloc(1000, "a"));
  expect(tail.lines()).toEqual(["a".repeat(8192)]);
  tail.push(Buffer.from("end\nnext\n"));
  expect(tail.lines()).toEqual(["a".repeat(8192), "next"]);
});

test("secrets are taken out, and the last line is that of the present process", () => {
  const redaction = new Redaction();
  const tail = new OutputTail(redaction);
  redaction.learn(["s3cr3t-value", "on"]);
  tail.begin();
  tail.push(Buffer.from("token s3cr3t-value is on\n\n"));
  expect(tail.lines()).toEqual(["token [redacted] is on", ""]);
  expect(tail.lastLine()).toBe("token [redacted] is on");
  tail.begin();
  expect(tail.lastLine()).toBeNull();
  tail.push(Buffer.from("half a line"));
  expect(tail.lastLine()).toBe("half a line");
  expect(tail.lines()).toEqual(["token [redacted] is on", "", "half a line"]);
});

test("a secret that stands across the cut of a long line is not shown in part", () => {
  const secret = "sk-0123456789abcdef";
  const redaction = new Redaction();
  redaction.learn([secret]);
  for (let before = 8192 - secret.length; before <= 8192; before++) {
    const tail = new OutputTail(redaction);
    tail.push(Buffer.from(`${"a".repeat(before)}${secret} and more\n`));
    expect(tail.lines().join()).not.toContain("s");
  }
});
