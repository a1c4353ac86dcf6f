/** The commands about what tools need of the place they run in: declared capabilities, roots, and skills with their tools. */
import type { Command } from "./command.ts";

const IN_PROCESS = "Asks the running host if there is one, else reads the configuration for the moment.";
const WITH_BUNDLES = "Asks the running host if there is one, else starts the bundles for the moment.";

const capabilitiesList: Command = {
  name: "capabilities list",
  summary: "list the environment capabilities that the host declares",
  usage: "",
  args: [0, 0],
  flags: {},
  more: ["A tool runs only if all that it requires is declared. What is missing: bailiwick tools", IN_PROCESS],
  load: async () => (await import("./run-capabilities.ts")).runCapabilitiesList,
};

const capabilitiesAdd: Command = {
  name: "capabilities add",
  summary: "declare capabilities; tools that require them can be called at once",
  usage: "<name>...",
  args: [1, 1000],
  flags: {},
  more: [
    "Names are compared as they are written: usd is not USD, and scene does not stand for scene.read.",
    "It is recorded and written to the configuration, with or without a running host.",
    "  bailiwick capabilities add usd filesystem.write",
  ],
  load: async () => (await import("./run-capabilities.ts")).runCapabilitiesAdd,
};

const capabilitiesRemove: Command = {
  name: "capabilities remove",
  summary: "declare capabilities no longer; tools that require them are refused from then on",
  usage: "<name>...",
  args: [1, 1000],
  flags: {},
  more: ["Calls that are out end as they would have; what waits for approval is cancelled."],
  load: async () => (await import("./run-capabilities.ts")).runCapabilitiesRemove,
};

const rootsList: Command = {
  name: "roots list",
  summary: "list the folders that tools may work in, and why one cannot be used",
  usage: "",
  args: [0, 0],
  flags: {},
  more: ["Those of the configuration. A client may announce roots of its own for its calls.", IN_PROCESS],
  load: async () => (await import("./run-roots.ts")).runRootsList,
};

const rootsResolve: Command = {
  name: "roots resolve",
  summary: "show which file a path means to a tool; opens none",
  usage: "<uri or path>",
  args: [1, 1],
  flags: {},
  more: [
    "Exit code 3 if the path is refused, with the reason a tool's caller would get.",
    IN_PROCESS,
    "  bailiwick roots resolve workspace://assets/hero.usd",
  ],
  load: async () => (await import("./run-roots.ts")).runRootsResolve,
};

const skillList: Command = {
  name: "skill list",
  summary: "list the skills and skill packages, what they lack and what is wrong with them",
  usage: "",
  args: [0, 0],
  flags: {
    satisfied: { help: "only those of which no capability is missing" },
    dcc: { value: "name", help: "only packages for this application, as maya" },
  },
  more: [WITH_BUNDLES],
  load: async () => (await import("./run-skill-list.ts")).runSkillList,
};

const skillInfo: Command = {
  name: "skill info",
  summary: "show all that is known of one skill or skill package",
  usage: "<name>",
  args: [1, 1],
  flags: {},
  more: [WITH_BUNDLES],
  load: async () => (await import("./run-skill-info.ts")).runSkillInfo,
};

const skillAccept: Command = {
  name: "skill accept",
  summary: "show what of a skill package is not what was accepted, and accept it",
  usage: "<name>",
  args: [1, 1],
  flags: { yes: { help: "accept what is shown without being asked" } },
  more: [
    "A package whose files changed is held: its tools cannot be called until somebody accepts.",
    "Asks before it accepts; where nobody can be asked, --yes is needed. Exit code 3 if the answer was no.",
    WITH_BUNDLES,
  ],
  load: async () => (await import("./run-skill-accept.ts")).runSkillAccept,
};

export const GATE_COMMANDS: readonly Command[] = [
  capabilitiesList,
  capabilitiesAdd,
  capabilitiesRemove,
  rootsList,
  rootsResolve,
  skillList,
  skillInfo,
  skillAccept,
];
