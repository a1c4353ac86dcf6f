/** Each skill package with its tools and everything that is wrong with it, and settings for packages that there are not. Pure. */
import type { Config } from "@bailiwick/contract";
import type { PackageDiagnostic, SkillSeen } from "../../kernel/skill-admin.ts";
import { fail, ok, warn, type Check } from "./check.ts";
import { describeDiagnostic } from "./describe-diagnostic.ts";

type PackageSeen = Pick<SkillSeen, "name" | "tools" | "state" | "reason" | "diagnostics">;

export interface SkillsSeen {
  readonly packages: readonly PackageSeen[];
  /** About skills that are no packages. */
  readonly notes: readonly PackageDiagnostic[];
  /** About files that were skipped or are odd; each says what to do. */
  readonly warnings: readonly string[];
}

export const checkSkills = (
  { packages, notes, warnings }: SkillsSeen,
  settings: Pick<Config["capabilities"], "env" | "groups">,
): readonly Check[] => {
  const named = (["env", "groups"] as const).flatMap((key) =>
    Object.keys(settings[key])
      .filter((name) => !packages.some((each) => each.name === name))
      .map((name) =>
        warn(
          `skill ${name}`,
          `capabilities.${key} names it, and there is no such package.`,
          "Correct the name: bailiwick skill list",
        ),
      ),
  );
  return [
    ...packages.flatMap(checkPackage),
    ...notes.map((note) => found(`skill ${note.package}`, note)),
    ...warnings.map((warning) => warn("skills", warning, FIX)),
    ...named,
  ];
};

const FIX = "Do what it says; the next message is answered with it.";

const found = (title: string, diagnostic: PackageDiagnostic, state: typeof warn = warn): Check => {
  const { line, fix } = describeDiagnostic(diagnostic);
  return state(title, line, fix);
};

const checkPackage = ({ name, tools, state, reason, diagnostics }: PackageSeen): Check[] => {
  const title = `skill ${name}`;
  const count = tools.length === 1 ? "1 tool" : `${tools.length} tools`;
  const faults = diagnostics.map((each) => found(title, each, state === "broken" && !each.warning ? fail : warn));
  if (state === "ready") return [ok(title, count), ...faults];
  if (state === "held") {
    const message = `${count}: ${reason ?? "it is not what was accepted"}`;
    return [warn(title, message, `bailiwick skill accept ${name}`), ...faults];
  }
  if (faults.some((each) => each.state === "fail")) return faults;
  return [fail(title, reason ?? "it cannot be used.", `bailiwick skill info ${name}`), ...faults];
};
