import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { startFixtureHost } from "./conformance-host-for-tests.ts";
import { CLIENT_COMMAND, requiredOf, REVISIONS, runSuite, type SuiteRun } from "./conformance-suite-for-tests.ts";

const FOLDER = fileURLToPath(new URL("../../test/conformance/", import.meta.url));
const PATIENCE_MS = 120_000;
/** Of these at most a warning is excused, and that names its check. */
const REQUIRED = REVISIONS.flatMap((revision) => requiredOf(revision, "server").concat(requiredOf(revision, "client")));

/** An entry and its reason. */
const entriesOf = (file: string): readonly (readonly [string, string])[] =>
  readFileSync(file, "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, entry, reason = ""] = /^ {2}- (\S+) ?(?:# (.*))?$/.exec(line) ?? [];
      return entry === undefined ? [] : [[entry, reason] as const];
    });

const runAll = async (cell: string, baseline: string): Promise<SuiteRun> => {
  const args = ["--suite", "all", "--expected-failures", baseline];
  if (cell === "client") return runSuite("client", ["--command", CLIENT_COMMAND, "--timeout", "60000", ...args]);
  const host = await startFixtureHost({ era: cell as "legacy" | "modern", transport: "stdio" });
  try {
    return await runSuite("server", ["--url", host.url, ...args]);
  } finally {
    await host.stop();
  }
};

describe.each(["legacy", "modern", "client"])("all that the suite has, %s", (cell) => {
  const baseline = `${FOLDER}unscored.${cell}.yml`;
  let suite: SuiteRun;

  beforeAll(async () => {
    suite = await runAll(cell, baseline);
  }, PATIENCE_MS);

  it("fails nowhere but where it is written down, and there always", () => {
    expect(suite.verdict).toBe("conforms");
  });

  it.runIf(entriesOf(baseline).length > 0).each(entriesOf(baseline))("does without %s: %s", (entry, reason) => {
    expect(reason).not.toBe("");
    expect(REQUIRED).not.toContain(entry);
  });
});
