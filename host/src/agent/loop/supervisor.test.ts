/** A run that goes round in circles: which tools are withdrawn, when they return, and that the model is told. */
import { describe, expect, test } from "vitest";
import { endingOf, startLoop } from "./loop-for-tests.ts";
import type { ToolEnding } from "./loop-options.ts";
import { scriptModels } from "./scripted-models-for-tests.ts";
import { Supervisor } from "./supervisor.ts";

type Seen = readonly [name: string, input: unknown, ending: Partial<ToolEnding> | string];

const watch = (...all: readonly Seen[]): Supervisor => {
  const supervisor = new Supervisor();
  for (const [name, input, ending] of all) supervisor.observe({ name, input, ending: endingOf(ending) });
  return supervisor;
};
const times = (count: number, seen: (n: number) => Seen): Seen[] => Array.from({ length: count }, (_, n) => seen(n));
const error = (text: string, code: ToolEnding["code"] = null): Partial<ToolEnding> => ({ ok: false, text, code });
const idle = (text: string): Partial<ToolEnding> => ({ text, bearing: "idle" });
const isWithdrawn = (supervisor: Supervisor, name = "a__x"): boolean => supervisor.whyWithdrawn(name) !== null;

describe("a tool is withdrawn", () => {
  test.each<[string, Seen[]]>([
    ["the third time that it gives the same for the same input", times(3, () => ["a__x", { q: 1 }, "same"])],
    [
      "also when the members of the input come in another order",
      times(3, (n) => ["a__x", n === 1 ? { b: [2], a: 1 } : { a: 1, b: [2] }, "same"]),
    ],
    ["the third time that it fails alike, whatever the input", times(3, (n) => ["a__x", { n }, error("broken")])],
    ["after six empty results", times(6, (n) => ["a__x", { n }, idle(`nothing for ${n}`)])],
    ["after six of the same refusal", times(6, (n) => ["a__x", { n }, error(`no ${n}`, "policy_denied")])],
    [
      "though other tools were called in between, as long as they bring nothing new",
      [["a__y", {}, "known"], ...times(6, (n): Seen => (n % 2 === 0 ? ["a__x", {}, "same"] : ["a__y", {}, "known"]))],
    ],
    [
      "though the network failed in between",
      times(5, (n) => ["a__x", {}, n % 2 === 0 ? "same" : { ...error("lost"), bearing: "passing" }]),
    ],
  ])("%s", (_, seen) => {
    expect(isWithdrawn(watch(...seen))).toBe(true);
    expect(
      isWithdrawn(
        watch(
          ...seen.slice(
            0,
            seen.findLastIndex(([name]) => name === "a__x"),
          ),
        ),
      ),
    ).toBe(false);
  });
});

describe("a tool stays", () => {
  test.each<[string, Seen[]]>([
    ["when results differ", times(9, (n) => ["a__x", {}, `page ${n}`])],
    ["when inputs differ", times(9, (n) => ["a__x", { n }, "ok"])],
    ["when failures differ", times(9, (n) => ["a__x", {}, error(`broken ${n}`)])],
    [
      "when refusals differ",
      times(12, (n) => ["a__x", {}, error(`no ${n}`, n % 2 ? "policy_denied" : "invalid_input")]),
    ],
    ["when something else comes in between", times(9, (n) => ["a__x", { n: n % 3 === 2 }, "ok"])],
    [
      "when a search finds something now and then",
      times(14, (n) => ["a__x", { n }, n % 5 === 4 ? "found" : idle("none")]),
    ],
    ["whatever the network does", times(20, () => ["a__x", {}, { ...error("lost", "not_ready"), bearing: "passing" }])],
    ["whatever other tools do", times(9, () => ["a__y", {}, "same"])],
  ])("%s", (_, seen) => {
    for (let count = 1; count <= seen.length; count++) expect(isWithdrawn(watch(...seen.slice(0, count)))).toBe(false);
  });
});

describe("a tool that was withdrawn", () => {
  const withdrawn = times(3, (): Seen => ["a__x", {}, "same"]);

  test("returns with the first success that is new, and begins anew", () => {
    expect(isWithdrawn(watch(...withdrawn, ["a__y", {}, "new"]))).toBe(false);
    expect(isWithdrawn(watch(...withdrawn, ["a__x", {}, "other"]))).toBe(false);
    expect(isWithdrawn(watch(...withdrawn, ["a__y", {}, "new"], ...withdrawn.slice(1)))).toBe(false);
    expect(isWithdrawn(watch(...withdrawn, ["a__y", {}, "new"], ...withdrawn))).toBe(true);
  });

  test.each<[string, Seen]>([
    ["a success that was there before", ["a__y", {}, "old"]],
    ["a failure", ["a__y", {}, error("new")]],
    ["an empty result", ["a__y", {}, idle("new")]],
    ["a failure of the network", ["a__y", {}, { ...error("new"), bearing: "passing" }]],
  ])("does not return with %s", (_, seen) => {
    expect(isWithdrawn(watch(["a__y", {}, "old"], ...withdrawn, seen))).toBe(true);
  });

  test("is named with the reason, in one line, and not more than twenty are", () => {
    const supervisor = watch(...times(3 * 25, (n) => [`tool\n${Math.floor(n / 3)}`, {}, error("no")]));
    const notices = supervisor.notices();
    expect(notices).toHaveLength(21);
    expect(notices[0]).toMatch(/^The tool tool 0 is withdrawn: it gave the same result 3 times in a row\. /);
    expect(notices.at(-1)).toBe("5 more tools are withdrawn.");
  });
});

test("in a run: it is left out, the model is told why, a call of it does not run, and it comes back", async () => {
  const names = ["a__x", "a__x", "a__x", "a__x", "a__y", "a__x"];
  const models = scriptModels((index) => (names[index] === undefined ? {} : { calls: [{ name: names[index] }] }));
  const run = startLoop({ models, tools: { a__x: () => "same", a__y: () => "new" } });
  const { calls } = await run.end;
  expect(models.requests.map(({ tools }) => tools.map(({ name }) => name).join(" "))).toEqual([
    "a__x a__y",
    "a__x a__y",
    "a__x a__y",
    "a__y",
    "a__y",
    "a__x a__y",
    "a__x a__y",
  ]);
  const person = models.requests.map(({ messages: [first] }) => (first?.role === "user" ? first.text : ""));
  expect(person[2]).not.toContain("withdrawn");
  expect(person[3]).toContain("The tool a__x is withdrawn: it gave the same result 3 times in a row.");
  expect(person[5]).not.toContain("withdrawn");
  expect(calls.map(({ ok }) => ok)).toEqual([true, true, true, false, true, true]);
  expect(calls[3]).toMatchObject({ outcome: "skipped" });
  expect(calls[3]?.output).toContain("unavailable: The tool a__x is withdrawn");
  expect(run.orders.map(({ name }) => name)).toEqual(["a__x", "a__x", "a__x", "a__y", "a__x"]);
  expect(run.told).toContain("done call_4 unavailable");
});

test("in a run: a tool whose arguments are never JSON is withdrawn too", async () => {
  const models = scriptModels((index) =>
    index < 3 ? { calls: [{ name: "a__x", input: null, inputText: `{${index}` }] } : {},
  );
  await startLoop({ models, tools: { a__x: () => "same" } }).end;
  expect(models.requests.at(-1)?.tools).toEqual([]);
});
