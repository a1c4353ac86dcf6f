/** The skills of a workspace as its agent uses them, joined with its packages, its bundles and what its tools lack. */
import type { SkillsNow } from "../agent/skills/join-skills.ts";
import { createSkillBook, type SkillBook, type SkillBookPorts } from "../agent/skills/skill-book.ts";
import { matchesGlob } from "../kernel/glob.ts";
import type { Packages } from "../skills/packages/create-packages.ts";
import { unionRequirements, type ToolRequirement } from "../skills/union-requirements.ts";

export interface SkillBookOptions extends Omit<SkillBookPorts, "now"> {
  readonly packages: Pick<Packages, "seen" | "reasonOf">;
  /** Names of bundles, and of their packages, that run. */
  readonly running: () => Iterable<string>;
  /** Of every tool of the workspace, as the gate sees it now. */
  readonly requirements: () => readonly ToolRequirement[];
}

export const openSkillBook = ({ packages, running, requirements, ...ports }: SkillBookOptions): SkillBook =>
  createSkillBook({
    ...ports,
    now: (): SkillsNow => {
      const ready = packages.seen(new Map()).filter(({ state }) => state === "ready");
      return {
        running: new Set([...running(), ...ready.map(({ name }) => name)]),
        packageReason: (name, digest) => packages.reasonOf(name, digest),
        missing: missingOf(requirements().filter(({ missing }) => missing.length > 0)),
      };
    },
  });

const NOTHING: readonly string[] = [];

/** `lacking`: tools of which something is missing, which are few. */
const missingOf =
  (lacking: readonly ToolRequirement[]): SkillsNow["missing"] =>
  (skill) => {
    const globs = globsOf(skill);
    if (lacking.length === 0 || globs.length === 0) return NOTHING;
    const tools = lacking.filter(({ flat }) => globs.some((glob) => matchesGlob(glob, flat)));
    return unionRequirements(tools).missing_capabilities;
  };

/** A package's tools are its own, whatever else it narrows to. */
const globsOf = ({ name, isPackage, allowedTools }: Parameters<SkillsNow["missing"]>[0]): readonly string[] =>
  isPackage ? [`${name}__*`] : (allowedTools ?? NOTHING);
