/** The commands about what is allowed, who decides it, and the keys that the host signs with. */
import type { Command } from "./command.ts";

const approve: Command = {
  name: "approve",
  summary: "see what waits for a person, and decide one after seeing the exact call",
  usage: "[<id> [yes|no]]",
  args: [0, 2],
  flags: { reason: { value: "text", help: "why; whoever asked is told" } },
  more: [
    "Without an id it lists what you may decide or have asked for. A decision is for that one exact call, once.",
    "Without yes or no it shows the call and asks; where nobody can be asked, it ends with exit code 4.",
    "  bailiwick approve apr_0123456789abcdef0123456789abcdef no --reason 'not this week'",
  ],
  load: async () => (await import("./run-approve.ts")).runApprove,
};

const explain: Command = {
  name: "explain",
  summary: "show what every check says to a call, and call nothing",
  usage: "<provider__tool> [json | @file | -]",
  args: [1, 2],
  flags: { as: { value: "kind:name", help: "who would call, as agent:planner (default: you)" } },
  more: [
    "Leaves no record, asks nobody and counts against no limit.",
    `  bailiwick explain everything__echo '{"message":"hello"}' --as agent:planner`,
  ],
  load: async () => (await import("./run-explain.ts")).runExplain,
};

const policyCheck: Command = {
  name: "policy check",
  summary: "list the rules that are in force and what is wrong with them",
  usage: "",
  args: [0, 0],
  flags: {},
  more: ["Exit code 2 if a rule or an entry of policy.capabilities cannot be used."],
  load: async () => (await import("./run-policy-check.ts")).runPolicyCheck,
};

const policyTest: Command = {
  name: "policy test",
  summary: "check that a table of calls would end as it says; call nothing",
  usage: "<file>",
  args: [1, 1],
  flags: {},
  more: [
    "The file is JSON, a list of cases; expect is run, wait or refuse, and rule the one that decides:",
    `  [{"as":"agent:planner","tool":"billing__refund","arguments":{"amount":500},"expect":"wait","rule":"refunds"}]`,
    "Exit code 1 if any case ends otherwise.",
  ],
  load: async () => (await import("./run-policy-test.ts")).runPolicyTest,
};

const keyListHost: Command = {
  name: "key list-host",
  summary: "list the keys that the host signs and has signed its evidence with",
  usage: "",
  args: [0, 0],
  flags: {},
  more: [],
  load: async () => (await import("./run-key-list-host.ts")).runKeyListHost,
};

const keyRotateHost: Command = {
  name: "key rotate-host",
  summary: "have the host sign with a new key from now on",
  usage: "",
  args: [0, 0],
  flags: {},
  more: ["The old key signs the way to the new one, so that whoever has pinned it can follow."],
  load: async () => (await import("./run-key-rotate-host.ts")).runKeyRotateHost,
};

const keyRevokeHost: Command = {
  name: "key revoke-host",
  summary: "declare a key of the host void, for good",
  usage: "<key id> --reason <text>",
  args: [1, 1],
  flags: {
    reason: { value: "text", help: "why; it is published with the revocation" },
    yes: { help: "do not ask" },
  },
  more: ["Rotate first, if it is the key that the host signs with: bailiwick key rotate-host"],
  load: async () => (await import("./run-key-revoke-host.ts")).runKeyRevokeHost,
};

export const GOVERNANCE_COMMANDS: readonly Command[] = [approve, explain, policyCheck, policyTest];
export const HOST_KEY_COMMANDS: readonly Command[] = [keyListHost, keyRotateHost, keyRevokeHost];
