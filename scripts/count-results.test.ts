import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";

const folder = mkdtempSync(join(tmpdir(), "bailiwick-count-"));
const SCRIPT = fileURLToPath(new URL("./count-results.mjs", import.meta.url));
const file = (name: string, statuses: string[], status = "passed") => ({
  name,
  status,
  assertionResults: statuses.map((each) => ({ status: each })),
});

/** Runs the script over a report as vitest writes it, and gives its closing line and exit code. */
const close = (codes: readonly [string, string], results: readonly object[] | null) => {
  const report = join(folder, "report.json");
  rmSync(report, { force: true });
  const of = (status: string): number => JSON.stringify(results).split(`{"status":"${status}"}`).length - 1;
  if (results !== null) {
    const counts = {
      numPassedTests: of("passed"),
      numFailedTests: of("failed"),
      numPendingTests: of("skipped"),
      numTodoTests: 0,
    };
    writeFileSync(report, JSON.stringify({ ...counts, testResults: results }));
  }
  const { stdout, status } = spawnSync(process.execPath, [SCRIPT, ...codes, report], { encoding: "utf8" });
  return { last: stdout.trim().split("\n").at(-1), status };
};

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the last line of a CI run", () => {
  it("all passed", () => {
    const closed = close(["0", "0"], [file("a", ["passed", "passed", "skipped"])]);
    expect(closed).toEqual({ last: "3 passed, 0 failed", status: 0 });
  });

  it("a failed test counts", () => {
    const closed = close(["0", "1"], [file("a", ["passed", "failed"], "failed")]);
    expect(closed).toEqual({ last: "2 passed, 1 failed", status: 1 });
  });

  it("a test file that could not be loaded counts, though it has no tests", () => {
    const closed = close(["0", "1"], [file("a", ["passed"]), file("b", [], "failed")]);
    expect(closed).toEqual({ last: "2 passed, 1 failed", status: 1 });
  });

  it("failed checks count, though every test passed", () => {
    expect(close(["1", "0"], [file("a", ["passed"])])).toEqual({ last: "1 passed, 1 failed", status: 1 });
  });

  it("an error outside any test counts, though every test passed", () => {
    expect(close(["0", "1"], [file("a", ["passed"])])).toEqual({ last: "2 passed, 1 failed", status: 1 });
  });

  it("tests that never came to a report count as failed", () => {
    expect(close(["0", "124"], null)).toEqual({ last: "1 passed, 1 failed", status: 1 });
  });

  it("even when they ended as if all were well", () => {
    expect(close(["0", "0"], null)).toEqual({ last: "1 passed, 1 failed", status: 1 });
  });
});
