import { describe, expect, it, test } from "vitest";
import type { ToolRow } from "../../kernel/surface.ts";
import { directList } from "./direct-list.ts";
import { refuseOutside, type RunFence } from "./run-fence.ts";

type Row = Pick<ToolRow, "name" | "provider" | "state" | "missing">;

const row = (name: string, more: Partial<Row> = {}): Row => ({
  name,
  provider: name.slice(0, name.indexOf("__")),
  state: "invokable",
  missing: [],
  ...more,
});
const many = (provider: string, count: number): Row[] =>
  Array.from({ length: count }, (_, i) => row(`${provider}__t${String(i).padStart(2, "0")}`));
const OPEN: RunFence = { request: null, skill: null, focused: null };
const skill = (...allowedTools: string[]) => ({ name: "report", allowedTools });
const OWN = [row("files__read"), row("nb__delegate"), row("nb__discover_tools"), row("skills__read")];
const names = (rows: readonly Row[]): string[] => rows.map(({ name }) => name);

/** As a run filters what its principal may call. */
const runSurface = (rows: readonly Row[], fence: RunFence): readonly Row[] =>
  rows.filter(({ name }) => refuseOutside(name, fence) === null);

const list = (rows: readonly Row[], fence: Partial<RunFence> = {}, joined: readonly string[] = []) => {
  const whole = { ...OPEN, ...fence };
  const direct = directList({ rows: runSurface(rows, whole), fence: whole, maxDirectTools: 30, joined });
  return { tier: direct.tier, listed: names(direct.listed), joined: names(direct.joined) };
};

describe("the run surface", () => {
  const rows = [...OWN, row("crm__get"), row("crm__put"), row("todo__add")];
  const NB = ["nb__delegate", "nb__discover_tools"];

  test.each<[string, Partial<RunFence>, string[]]>([
    ["nothing narrows", {}, names(rows)],
    ["a skill without allowed-tools", { skill: { name: "a", allowedTools: null } }, names(rows)],
    ["a skill", { skill: skill("crm__*") }, [...NB, "crm__get", "crm__put"]],
    ["a skill with an empty list", { skill: skill() }, NB],
    ["a skill with an empty glob", { skill: skill("") }, NB],
    ["a skill and a focused app", { skill: skill("crm__get"), focused: "todo" }, [...NB, "crm__get", "todo__add"]],
    ["a request", { request: ["*__get", "todo__add"] }, [...NB, "crm__get", "todo__add"]],
    ["a request with an empty list", { request: [] }, NB],
    ["a request and a skill", { request: ["*__get"], skill: skill("crm__*") }, [...NB, "crm__get"]],
    [
      "a request, and an app that it leaves out",
      { request: ["crm__*"], skill: skill("crm__get"), focused: "todo" },
      [...NB, "crm__get"],
    ],
    ["another case", { request: ["CRM__*"] }, NB],
  ])("with %s", (_, fence, expected) => {
    expect(names(runSurface(rows, { ...OPEN, ...fence }))).toEqual(expected);
  });

  it("refuses what is outside with the tool, the skill and the next step", () => {
    const bySkill = refuseOutside("todo__add", { ...OPEN, skill: skill("crm__*"), request: ["crm__*"] });
    expect(bySkill).toMatchObject({
      kind: "outside_skill",
      details: { tool: "todo__add", skill: "report" },
      next: expect.stringContaining("a message that does not use the skill report"),
    });
    expect(refuseOutside("todo__add", { ...OPEN, request: ["crm__*"] })).toMatchObject({
      kind: "outside_request",
      details: { tool: "todo__add" },
      next: expect.stringContaining("allowedTools"),
    });
    expect(refuseOutside("nb__delegate", { ...OPEN, skill: skill(), request: [] })).toBeNull();
    expect(refuseOutside("todo__add", OPEN)).toBeNull();
  });
});

describe("the direct list", () => {
  it("is the whole run surface up to 30 tools of bundles, however many the host has itself", () => {
    const rows = [
      ...many("files", 49),
      ...many("skills", 5),
      ...many("compose", 9),
      ...OWN.slice(1, 3),
      ...many("crm", 30),
    ];
    expect(list(rows).tier).toBe("all");
    expect(list(rows).listed).toHaveLength(rows.length);
  });

  it("is only nb__* with one more", () => {
    expect(list([...OWN, ...many("crm", 31)])).toEqual({
      tier: "discovery",
      listed: ["nb__delegate", "nb__discover_tools"],
      joined: [],
    });
  });

  it("is the whole run surface where nothing could be found otherwise", () => {
    const without = OWN.filter(({ name }) => name !== "nb__discover_tools");
    for (const own of [without, [...without, row("nb__discover_tools", { state: "disabled" })]]) {
      const { tier, listed } = list([...own, ...many("crm", 31)]);
      expect([tier, listed.length]).toEqual(["all", without.length + 31]);
    }
  });

  it("has the tools of the focused app all the same", () => {
    const { tier, listed } = list([...OWN, ...many("crm", 31), row("todo__add")], { focused: "todo" });
    expect([tier, listed]).toEqual(["discovery", ["nb__delegate", "nb__discover_tools", "todo__add"]]);
  });

  it("is what the skill allows and nb__*, however many that are", () => {
    const { tier, listed } = list([...OWN, ...many("crm", 40), row("todo__add")], { skill: skill("crm__*") });
    expect([tier, listed.length]).toEqual(["skill", 42]);
    expect(list([...OWN, ...many("crm", 31)], { skill: { name: "a", allowedTools: null } }).tier).toBe("discovery");
    expect(list([...OWN, row("crm__get")], { skill: skill() }).listed).toEqual(["nb__delegate", "nb__discover_tools"]);
  });

  it("neither counts nor holds what cannot be called now, and keeps what is starting or has crashed", () => {
    const rows = [
      ...many("crm", 28),
      row("x__hosted", { state: "hosted" }),
      row("x__old", { state: "deprecated" }),
      row("x__held", { state: "suspended" }),
      row("x__off", { state: "disabled" }),
      row("x__dead", { state: "unavailable" }),
      row("x__lacks", { missing: ["usd"] }),
    ];
    const { tier, listed } = list(rows);
    expect([tier, listed.slice(28)]).toEqual(["all", ["x__hosted", "x__old"]]);
    const crashed = rows.map(({ name, state, missing }) =>
      row(name, { state: state === "invokable" ? "hosted" : state, missing }),
    );
    expect(list(crashed).listed).toEqual(listed);
  });

  it("is in the order of providers, then of tools, by code point, and what joined stands behind", () => {
    const rows = [row("b__z"), row("a-b__a"), row("a__\uffee"), row("a__😀"), row("a__z"), row("a__zz"), row("nb__x")];
    expect(list(rows, {}, ["a__z"]).listed).toEqual(["a__z", "a__zz", "a__\uffee", "a__😀", "a-b__a", "b__z", "nb__x"]);
    const joined = ["crm__t09", "gone__x", "nb__discover_tools", "crm__t02", "crm__t09", "crm__t40"];
    expect(list([row("nb__discover_tools"), ...many("crm", 31)], {}, joined)).toEqual({
      tier: "discovery",
      listed: ["nb__discover_tools"],
      joined: ["crm__t09", "crm__t02"],
    });
  });

  it("takes in nothing that the skill or the request leaves out, though it was found", () => {
    const rows = [row("nb__discover_tools"), ...many("crm", 31), ...many("todo", 40)];
    expect(list(rows, { request: ["todo__*"] }, ["crm__t01", "todo__t01"]).joined).toEqual(["todo__t01"]);
    expect(list(rows, { skill: skill("todo__t00") }, ["crm__t01", "todo__t01"]).joined).toEqual([]);
  });
});
