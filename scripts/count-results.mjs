/**
 * Closes a CI run: `count-results.mjs <exit code of check> <exit code of the tests> <vitest's JSON report>`. Says what ran,
 * then `N passed, N failed`, and ends with 1 unless everything passed. The checks count as one.
 */
import { readFileSync } from "node:fs";
import process from "node:process";

const readReport = (file) => {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return null;
  }
};

/** A file that could not be loaded has no tests in it and still failed. */
const countTests = (report) => {
  const broken = report.testResults.filter(
    ({ status, assertionResults }) => status === "failed" && assertionResults.every((test) => test.status !== "failed"),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + broken.length,
    skipped: report.numPendingTests + report.numTodoTests,
    files: report.testResults.length,
  };
};

const [checkCode, testCode, file] = process.argv.slice(2);
const report = readReport(file);
const tests = report === null ? { passed: 0, failed: 0, skipped: 0, files: 0 } : countTests(report);
/** Errors outside any test (an unhandled rejection, a crash, the time limit) leave only the exit code behind. */
if ((testCode !== "0" || report === null) && tests.failed === 0) tests.failed = 1;

console.log(`check: ${checkCode === "0" ? "passed" : `failed (exit code ${checkCode})`}`);
console.log(
  report === null
    ? `tests: no report was written (exit code ${testCode})`
    : `tests: ${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped in ${tests.files} files`,
);
const failed = tests.failed + (checkCode === "0" ? 0 : 1);
console.log(`${tests.passed + (checkCode === "0" ? 1 : 0)} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
