/** The rules at the terminal, with a host that runs and without one: the same verdicts, each with its next step and record. */
import { afterEach, beforeEach, expect, it } from "vitest";
import { createCli, DEMO, type Cli } from "./cli-for-tests.ts";
import { openHouse } from "./doors-for-tests.ts";

const CONFIG = {
  ...DEMO,
  policy: {
    rules: [
      { id: "no-fail", match: { tools: ["demo__fail"] }, effect: "deny", reason: "Never", next: "Call demo__echo." },
      { id: "ask", match: { tools: ["demo__error"] }, effect: "require_approval" },
    ],
    capabilities: { demo__steps: { enabled: false, reason: "Not this week." } },
  },
};

let cli: Cli;
beforeEach(() => {
  cli = createCli();
  cli.configure(CONFIG);
});
afterEach(() => cli.clean());

interface Recorded {
  readonly event_type: string;
  readonly capability_id: string;
  readonly denial: { readonly details: Readonly<Record<string, unknown>> } | null;
}

const CASES: readonly (readonly [tool: string, args: string, code: number, says: RegExp, kind: string | null])[] = [
  ["demo__echo", '{"text":"hello"}', 0, /hello/, null],
  ["demo__fail", "{}", 3, /Never\.[^]*Call demo__echo\./, "policy_denied"],
  ["demo__error", "{}", 4, /bailiwick approve apr_/, "approval_pending"],
  ["demo__echo", "{}", 3, /text/, "invalid_input"],
  ["demo__steps", "{}", 3, /Not this week\./, "disabled"],
];

it.each([true, false])(
  "are the same, whether a host runs: %s",
  async (isRunning) => {
    if (isRunning) await openHouse(cli, "demo");
    for (const [tool, args, code, says, kind] of CASES) {
      const { code: ended, out, err } = await cli.run(["call", tool, args]);
      expect([tool, args, ended, out + err]).toEqual([tool, args, code, expect.stringMatching(says)]);
      const tail = await cli.run(["evidence", "tail", "-n", "200", "--json"]);
      const events = tail.out
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line) as Recorded);
      const last = events.findLast(({ event_type }) => event_type.startsWith("execution_"));
      expect([last?.capability_id, last?.denial?.details["kind"] ?? null]).toEqual([tool, kind]);
    }
  },
  90_000,
);
