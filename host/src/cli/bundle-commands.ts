/** The commands about bundles: those that watch and steer what is installed, and all of them in their order. */
import { accept, add, configure, inspect, remove, search, status } from "./bundle-steering-commands.ts";
import type { Command } from "./command.ts";

const RUNNING_ONLY = "Needs a running host, and waits up to 10 s. Exit code 1 if it does not come up; it says why.";

const list: Command = {
  name: "bundle list",
  summary: "list the bundles: state, health, tools, version, and what keeps one from running",
  usage: "",
  args: [0, 0],
  flags: {},
  more: ["Asks the running host if there is one, else starts the bundles for the moment."],
  load: async () => (await import("./run-bundle-list.ts")).runBundleList,
};

const start: Command = {
  name: "bundle start",
  summary: "start a bundle that is stopped, dead or refused",
  usage: "<name>",
  args: [1, 1],
  flags: {},
  more: [RUNNING_ONLY, "One that runs already stays as it is."],
  load: async () => (await import("./run-bundle-change.ts")).runBundleChange("start"),
};

const stop: Command = {
  name: "bundle stop",
  summary: "stop a bundle until somebody starts it; its tools stay listed as unavailable",
  usage: "<name>",
  args: [1, 1],
  flags: {},
  more: [
    "Needs a running host. Calls that are out end with an unknown outcome. It stays stopped over starts of the host.",
  ],
  load: async () => (await import("./run-bundle-change.ts")).runBundleChange("stop"),
};

const restart: Command = {
  name: "bundle restart",
  summary: "stop a bundle and start it again",
  usage: "<name>",
  args: [1, 1],
  flags: {},
  more: [RUNNING_ONLY, "Its manifest is read again; for a changed bailiwick.json: bailiwick reload"],
  load: async () => (await import("./run-bundle-change.ts")).runBundleChange("restart"),
};

const logs: Command = {
  name: "bundle logs",
  summary: "show the last lines that a bundle's process wrote for people",
  usage: "<name>",
  args: [1, 1],
  flags: {},
  more: [
    "At most 200 lines, secrets taken out. Without a running host the bundle is started for the moment.",
    "What plug-in generators print: bailiwick bundle logs compose",
  ],
  load: async () => (await import("./run-bundle-logs.ts")).runBundleLogs,
};

export const BUNDLE_COMMANDS: readonly Command[] = [
  list,
  search,
  add,
  remove,
  inspect,
  start,
  stop,
  restart,
  status,
  logs,
  configure,
  accept,
];
