import { beforeAll, describe, expect, it } from "vitest";
import { CLIENT_COMMAND, requiredOf, REVISIONS, runSuite, type SuiteRun } from "./conformance-suite-for-tests.ts";

/** The suite starts all its clients at once. */
const PATIENCE_MS = 60_000;

describe.each(REVISIONS)("the host towards servers of revision %s", (revision) => {
  let suite: SuiteRun;

  beforeAll(async () => {
    const args = ["--command", CLIENT_COMMAND, "--requirements", revision, "--timeout", String(PATIENCE_MS)];
    suite = await runSuite("client", args);
  }, 2 * PATIENCE_MS);

  it.each(requiredOf(revision, "client"))("passes %s", (scenario) => {
    expect(suite.failuresOf(scenario)).toEqual([]);
  });

  it("conforms, says the suite", () => {
    expect(suite.verdict).toBe("conforms");
  });
});
