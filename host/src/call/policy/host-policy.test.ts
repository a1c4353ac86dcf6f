import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Refusal } from "../../kernel/refusal.ts";
import { compileHostPolicy } from "./host-policy.ts";
import { endOf, openBench, refusalOf } from "./policy-for-tests.ts";

interface Case {
  readonly note: string;
  readonly block_patterns: never;
  readonly capability_id: string;
  readonly input: Record<string, unknown>;
  readonly decision: string;
  readonly code?: string;
  readonly blocks: boolean;
}

const VECTOR = new URL("../../../test/vectors/chp/policy-decision.json", import.meta.url);
const { cases } = JSON.parse(readFileSync(VECTOR, "utf8")) as { cases: Case[] };

const CODES: Record<string, string> = { wait: "approval_required" };

describe("a host policy in CHP's form", () => {
  it.each(cases)("decides as CHP does: $note", ({ block_patterns, capability_id, input, decision, code, blocks }) => {
    const found = compileHostPolicy({ block_patterns }).judgePatterns([capability_id], input);
    expect(found?.decision ?? "allow").toBe(decision);
    const bench = openBench({ host: { block_patterns } });
    const facts = { flatName: capability_id, args: input };
    const end = endOf(bench, facts);
    expect(end !== "run").toBe(blocks);
    if (blocks && end !== "wait") {
      const no = refusalOf(() => bench.run(facts));
      expect(no.row.chp).toBe(code);
      expect(no).toBeInstanceOf(Refusal);
      expect(no.details["decision"]).toBe(decision);
    } else if (blocks) expect(CODES[end]).toBe(code);
  });

  it.each([
    [{ allowed_capability_ids: ["billing__refund"] }, "run"],
    [{ allowed_capability_ids: ["refund"] }, "run"],
    [{ allowed_capability_ids: ["other"] }, "policy_denied"],
    [{ allowed_capability_ids: [] }, "policy_denied"],
    [{ block_capability_ids: ["refund"] }, "policy_denied"],
    [{ block_capability_ids: ["billing__refund"] }, "policy_denied"],
    [{ allowed_capability_ids: ["refund"], block_capability_ids: ["refund"] }, "policy_denied"],
    [{ block_patterns: [{ capability_id: "*", field: "note", pattern: "SECRET" }] }, "policy_denied"],
    [{ block_patterns: [{ capability_id: "*", field: "*", pattern: "secret" }] }, "policy_denied"],
    [{ block_patterns: [{ capability_id: "*", field: "amount", pattern: "^5$" }] }, "policy_denied"],
    [
      {
        block_patterns: [
          { capability_id: "*", field: "note", pattern: "secret", decision: "allow" },
          { capability_id: "*", field: "note", pattern: "s" },
        ],
      },
      "run",
    ],
    [{ block_patterns: [{ capability_id: "refund", field: "x", pattern: "(" }] }, "policy_denied"],
    [{ block_patterns: [{ capability_id: "other", field: "x", pattern: "(" }] }, "run"],
  ])("%j ends as %s", (host, expected) => {
    const bench = openBench({ host, capabilities: { billing__refund: { id: "refund" } } });
    expect(endOf(bench, { args: { note: "a secret", amount: 5 } })).toBe(expected);
  });

  it("is named by doctor where a pattern cannot be read", () => {
    const { book } = openBench({ host: { block_patterns: [{ capability_id: "x", field: "y", pattern: "(" }] } });
    expect(book.report("ws_default").diagnostics).toMatchObject([{ severity: "error", where: "policy.host" }]);
  });
});
