import { beforeAll, describe, expect, it } from "vitest";
import { startFixtureHost, type FixtureHostOptions } from "./conformance-host-for-tests.ts";
import { requiredOf, REVISIONS, runSuite, type Revision, type SuiteRun } from "./conformance-suite-for-tests.ts";

const ERAS = ["legacy", "modern"] as const;
const TRANSPORTS = ["stdio", "http"] as const;
/** The suite waits for tasks to end, and a busy machine is slow. */
const PATIENCE_MS = 120_000;

const cells: readonly FixtureHostOptions[] = ERAS.flatMap((era) => TRANSPORTS.map((transport) => ({ era, transport })));

const passes = (revision: Revision, options: FixtureHostOptions): void => {
  let suite: SuiteRun;

  beforeAll(async () => {
    const host = await startFixtureHost(options);
    try {
      suite = await runSuite("server", ["--url", host.url, "--requirements", revision]);
    } finally {
      await host.stop();
    }
  }, PATIENCE_MS);

  it.each(requiredOf(revision, "server"))("passes %s", (scenario) => {
    expect(suite.failuresOf(`server-${scenario}`)).toEqual([]);
  });

  it("conforms, says the suite", () => {
    expect(suite.verdict).toBe("conforms");
  });
};

describe.each(REVISIONS)("a client of revision %s", (revision) => {
  describe.each(cells)("of a $era server over $transport", (options) => {
    passes(revision, options);
  });

  describe("that shows a key", () => {
    passes(revision, { era: "legacy", transport: "stdio", auth: true });
  });
});

it("is asked for as many scenarios as each revision has", () => {
  const counts = REVISIONS.map((revision) => [
    requiredOf(revision, "server").length,
    requiredOf(revision, "client").length,
  ]);
  expect(counts).toEqual([
    [30, 18],
    [37, 32],
  ]);
});
