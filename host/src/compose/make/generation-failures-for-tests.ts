/** For tests: every way in which a tool that makes the text of a saved config says no. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { patternConfig } from "../configs/configs-for-tests.ts";
import { Queue, QUEUE_LIMITS } from "../queue.ts";
import type { ComposeTool } from "../tools/compose-tool.ts";
import type { Workbench } from "../workbench.ts";
import { callTool, codeOf, createBench, type BenchOptions } from "./bench-for-tests.ts";

type Upstream = NonNullable<BenchOptions["generators"]>[string]["upstream"] & {};

const never = (): Promise<never> => new Promise(() => undefined);
const needing = (upstream: Upstream): BenchOptions => ({ generators: { mine: { run: never, upstream } } });
const full = new Queue({ ...QUEUE_LIMITS, atOnce: { generation: 0, assembly: 0 }, waiting: 0 });

const LETTER = { content_config_id: "letter", context: { name: "Ada" } };
const MINE = { content_config_id: "mine" };

const ROWS: readonly [string, object, BenchOptions?][] = [
  ["invalid_input", { ...LETTER, surprise: 1 }],
  ["invalid_input", {}],
  ["invalid_input", { content_config_id: 5 }],
  ["invalid_context", { ...LETTER, context: [] }],
  ["invalid_context", { ...LETTER, context: 5 }],
  ["invalid_context", { ...LETTER, context: "{" }],
  ["invalid_context", { ...LETTER, context: { a: { source: "file", path: "x" } } }],
  ["invalid_config_id", { content_config_id: "" }],
  ["invalid_config_id", { content_config_id: ".." }],
  ["invalid_config_id", { content_config_id: "a/b" }],
  ["invalid_config_id", { content_config_id: "a\\b" }],
  ["invalid_config_id", { content_config_id: "a\0" }],
  ["invalid_config_id", { content_config_id: "a".repeat(300) }],
  ["invalid_config_id", { content_config_id: "\u00e4" }],
  ["invalid_config_id", { content_config_id: "draft-20260101T000000-0a0b0c" }],
  ["config_not_found", { content_config_id: "absent" }],
  ["generator_not_found", MINE],
  ["missing_credential", MINE, needing({ credentials_required: ["K"] })],
  ["generation_failed", { content_config_id: "letter" }],
  ["generation_timeout", MINE, needing({ expected_latency_ms: { p95: 2 } })],
  ["content_too_large", LETTER, { limits: { max_content_size_bytes: 3 } }],
  ["queue_full", LETTER, { queue: full }],
];

export const describeGenerationFailures = (name: string, create: (bench: Workbench) => ComposeTool): void => {
  describe(`what ${name} cannot do`, () => {
    test.each(ROWS)("is told as %s, and nothing is stored: %j", async (code, args, options) => {
      const bench = createBench(options);
      bench.save(patternConfig({ template: "Dear {{ name }}" }));
      bench.save(patternConfig({ type: "mine" }, { id: "mine" }));
      const answer = await callTool(create(bench), { ...args });
      expect([answer["success"], codeOf(answer)]).toEqual([false, code]);
      expect(readdirSync(bench.root)).toEqual(["configs"]);
      expect(readdirSync(join(bench.root, "configs", "content")).toSorted()).toEqual(["letter", "mine"]);
      expect(bench.told).toEqual([]);
    });

    test("is all that its guide names", () => {
      const named = create(createBench()).guide.common_errors.map(({ code }) => code);
      expect(named.toSorted()).toEqual([...new Set(ROWS.map(([code]) => code))].toSorted());
    });
  });
};
