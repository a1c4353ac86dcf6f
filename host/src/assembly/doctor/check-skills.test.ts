import { expect, it } from "vitest";
import type { PackageDiagnostic } from "../../kernel/skill-admin.ts";
import { checkSkills, type SkillsSeen } from "./check-skills.ts";

const fault: PackageDiagnostic = {
  reason_code: "invalid_tool",
  package: "maya",
  tool: "slow",
  pointer: "tools.yaml#/tools/3/timeout_hint_secs",
  line: 17,
  message: "timeout_hint_secs is 6000; at most 600.",
  suggested_fix: "Write a whole number from 1 to 600.",
};
const hint: PackageDiagnostic = { ...fault, reason_code: "non_spec_top_level_keys", warning: true };
const seen: SkillsSeen["packages"][number] = {
  name: "maya",
  tools: ["maya__a"],
  state: "ready",
  reason: null,
  diagnostics: [],
};

const check = (...packages: SkillsSeen["packages"]) =>
  checkSkills({ packages, notes: [], warnings: [] }, { env: {}, groups: {} });

it("a package that is fine says how many tools it has", () => {
  expect(check(seen)).toEqual([{ name: "skill maya", state: "ok", message: "1 tool", fix: null }]);
});

it("an entry that is not served is a warning with its place and its fix, and the others count", () => {
  const [count, warning] = check({ ...seen, tools: ["maya__a", "maya__b"], diagnostics: [fault] });
  expect(count).toMatchObject({ state: "ok", message: "2 tools" });
  expect(warning).toEqual({
    name: "skill maya",
    state: "warn",
    message: "maya/tools.yaml:17  slow  invalid_tool  timeout_hint_secs is 6000; at most 600.",
    fix: "Write a whole number from 1 to 600.",
  });
});

it("a package without any tool to serve fails by what is wrong with it", () => {
  const checks = check({ ...seen, tools: [], state: "broken", diagnostics: [fault, hint] });
  expect(checks.map(({ state }) => state)).toEqual(["fail", "warn"]);
  const [unknown] = check({ ...seen, tools: [], state: "broken", reason: "Its name is taken." });
  expect(unknown).toMatchObject({ state: "fail", message: "Its name is taken.", fix: "bailiwick skill info maya" });
});

it("a package that changed names the command that accepts it", () => {
  expect(check({ ...seen, state: "held", reason: "changed on disk" })).toMatchObject([
    { state: "warn", message: "1 tool: changed on disk", fix: "bailiwick skill accept maya" },
  ]);
});

it("a skill that was meant to be a package is a warning, and so is a setting for one that there is not", () => {
  const note: PackageDiagnostic = { ...hint, reason_code: "unreferenced_tools_file", package: "guide" };
  const settings = { env: { maya: ["X"], mayaa: ["X"] }, groups: { gone: ["g"] } };
  const skipped = "/x/a.md is skipped: it has no name; give it one.";
  const [ready, ...warnings] = checkSkills({ packages: [seen], notes: [note], warnings: [skipped] }, settings);
  expect(ready).toMatchObject({ state: "ok" });
  expect(warnings.map(({ name, state }) => `${state} ${name}`)).toEqual([
    "warn skill guide",
    "warn skills",
    "warn skill mayaa",
    "warn skill gone",
  ]);
  expect(warnings[1]?.message).toBe(skipped);
});
