import { describe, expect, it } from "vitest";
import { progressLine } from "./progress-line.ts";
import { showProgress } from "./show-progress.ts";
import { createTerminal } from "./terminal.ts";
import { timeText } from "./time-text.ts";

const record = (isTTY: boolean, env: Record<string, string> = {}) => {
  const written: string[] = [];
  const write = (text: string): boolean => written.push(text) > 0;
  const stderr = { isTTY, columns: 40, write };
  return { written, terminal: createTerminal({ stdout: { write: () => true }, stderr, env }) };
};

const STEPS = [
  { message: "Looking it up" },
  { message: "Downloading", bytes: 0, total: 2_000_000 },
  { message: "Downloading", bytes: 1_000_000, total: 2_000_000 },
  { message: "Downloading", bytes: 2_000_000, total: 2_000_000 },
  { message: "Starting" },
];

describe("how far an install is", () => {
  it.each([
    [{ message: "Starting" }, "Starting …"],
    [{ message: "Downloading", bytes: 1_500_000 }, "Downloading … 1.5 MB"],
    [{ message: "Downloading", bytes: 5, total: 0 }, "Downloading … 5 B"],
    [{ message: "Downloading", bytes: 0, total: 1000 }, `Downloading [${"·".repeat(24)}]   0 % of 1 kB`],
    [{ message: "D", bytes: 999, total: 1000 }, `D [${"#".repeat(23)}·]  99 % of 1 kB`],
    [{ message: "D", bytes: 1000, total: 1000 }, `D [${"#".repeat(24)}] 100 % of 1 kB`],
    [{ message: "D", bytes: 5000, total: 1000 }, `D [${"#".repeat(24)}] 100 % of 1 kB`],
    [{ message: "D", bytes: -5, total: 1000 }, `D [${"·".repeat(24)}]   0 % of 1 kB`],
  ])("%j is %j", (progress, line) => {
    expect(progressLine(progress)).toBe(line);
  });

  it("is one line a step where nobody looks", () => {
    for (const { written, terminal } of [record(false), record(true, { TERM: "dumb" })]) {
      const show = showProgress(terminal);
      for (const step of STEPS) show(step);
      expect(written).toEqual([
        "Looking it up …\n",
        `Downloading [${"·".repeat(24)}]   0 % of 2.0 MB\n`,
        "Starting …\n",
      ]);
    }
  });

  it("is one line that moves on a terminal, cut to its width, and gone when something else is said", () => {
    const { written, terminal } = record(true);
    const show = showProgress(terminal);
    for (const step of STEPS) show(step);
    terminal.note("done");
    expect(written.join("")).not.toMatch(/\n(?!$)/);
    for (const text of written) expect(text.replace("\r\u001B[2K", "").trimEnd().length).toBeLessThan(40);
    expect(written[0]).toBe("Looking it up …");
    expect(written.at(-1)).toBe("\r\u001B[2Kdone\n");
  });
});

it.each([
  [0, "0 s"],
  [59_999, "59 s"],
  [60_000, "1 min"],
  [3_600_000, "1 h 0 min"],
  [47 * 3_600_000 + 60_000, "47 h 1 min"],
  [48 * 3_600_000, "2 days"],
])("%i ms are %s to people", (ms, text) => {
  expect(timeText(ms)).toBe(text);
});
