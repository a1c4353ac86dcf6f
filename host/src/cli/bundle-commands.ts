/** The commands about bundles that there are. */
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
    "Needs a running host. Calls that are out end with an unknown outcome. The next start of the host starts it again.",
  ],
  load: async () => (await import("./run-bundle-change.ts")).runBundleChange("stop"),
};

const restart: Command = {
  name: "bundle restart",
  summary: "stop a bundle and start it again",
  usage: "<name>",
  args: [1, 1],
  flags: {},
  more: [RUNNING_ONLY, "Its manifest is read again; bailiwick.json is not: for that, restart the host."],
  load: async () => (await import("./run-bundle-change.ts")).runBundleChange("restart"),
};

const logs: Command = {
  name: "bundle logs",
  summary: "show the last lines that a bundle's process wrote for people",
  usage: "<name>",
  args: [1, 1],
  flags: {},
  more: ["At most 200 lines, secrets taken out. Without a running host the bundle is started for the moment."],
  load: async () => (await import("./run-bundle-logs.ts")).runBundleLogs,
};

export const BUNDLE_COMMANDS: readonly Command[] = [list, start, stop, restart, logs];
