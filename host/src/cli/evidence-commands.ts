/** The commands of `bailiwick evidence`. Those that read do so in the work directory, whether or not the host runs. */
import type { Command } from "./command.ts";

const tail: Command = {
  name: "evidence tail",
  summary: "show the latest records",
  usage: "",
  args: [0, 0],
  flags: {
    lines: { value: "count", short: "n", help: "how many (default: 20)" },
    follow: { short: "f", help: "keep showing new ones until Ctrl-C" },
  },
  more: ["Reads the log itself, whether or not the host runs."],
  load: async () => (await import("./run-evidence-tail.ts")).runEvidenceTail,
};

const show: Command = {
  name: "evidence show",
  summary: "show records by event id, sequence, correlation or invocation",
  usage: "<id>",
  args: [1, 1],
  flags: { retained: { help: "with the arguments and results that evidence.retainPayloads keeps" } },
  more: ["  bailiwick evidence show 12"],
  load: async () => (await import("./run-evidence-show.ts")).runEvidenceShow,
};

const trace: Command = {
  name: "evidence trace",
  summary: "show who acted, what was asked for, which rule decided and what came of it",
  usage: "<correlation>",
  args: [1, 1],
  flags: {},
  more: ["The correlation of a record: bailiwick evidence tail --json"],
  load: async () => (await import("./run-evidence-trace.ts")).runEvidenceTrace,
};

const verify: Command = {
  name: "evidence verify",
  summary: "check every hash, the chain and the signatures, of this host's log or of an exported file",
  usage: "[file]",
  args: [0, 1],
  flags: {
    key: {
      value: "key",
      multiple: true,
      help: "who must have signed: a public key in base64, a file with it, an identity document, or the key file of a host; further ones only show how it leads to a newer key",
    },
    tier: { value: "signed|hash-chain", help: "what must hold (default: signed)" },
    checkpoint: { value: "file", help: "a checkpoint that you kept: the log must be an extension of it" },
  },
  more: [
    "Exit code: 0 valid, 1 invalid, 2 unreadable, 3 valid but below the tier or signed by another key.",
    "Needs no running host and no network.",
  ],
  load: async () => (await import("./run-evidence-verify.ts")).runEvidenceVerify,
};

const exportIt: Command = {
  name: "evidence export",
  summary: "write records out so that somebody else can verify them",
  usage: "",
  args: [0, 0],
  flags: {
    format: { value: "jsonl|bundle|csv|otel", help: "the format (default: jsonl)" },
    correlation: { value: "id", help: "only the records of one correlation; a bundle needs it" },
    from: { value: "sequence", help: "the first record" },
    to: { value: "sequence", help: "the last record" },
    "no-payloads": { help: "leave out payloads; everything still verifies" },
    out: { value: "file", short: "o", help: "where to (default: standard output)" },
  },
  more: ["  bailiwick evidence export --out evidence.jsonl && bailiwick evidence verify evidence.jsonl"],
  load: async () => (await import("./run-evidence-export.ts")).runEvidenceExport,
};

const checkpoint: Command = {
  name: "evidence checkpoint",
  summary: "sign the head of the log as it is now and print it, to be kept elsewhere",
  usage: "",
  args: [0, 0],
  flags: {},
  more: [
    "Whoever kept one can tell later whether the log still begins with what it was made of:",
    "  bailiwick evidence checkpoint > kept.json && bailiwick evidence verify --checkpoint kept.json",
  ],
  load: async () => (await import("./run-evidence-checkpoint.ts")).runEvidenceCheckpoint,
};

const REMOVAL_FLAGS: Command["flags"] = {
  reason: { value: "text", help: "why; it is recorded" },
  yes: { help: "do not ask" },
};

const purge: Command = {
  name: "evidence purge",
  summary: "take all records of a correlation out of the running host's log, for good",
  usage: "<correlation> --reason <text>",
  args: [1, 1],
  flags: REMOVAL_FLAGS,
  more: ["What is kept of its answers and payloads goes too. The hashes stay, so that everything else still verifies."],
  load: async () => (await import("./run-evidence-purge.ts")).runEvidencePurge,
};

const redact: Command = {
  name: "evidence redact",
  summary: "take the payload out of one record of the running host's log, for good",
  usage: "<sequence or event id> --reason <text>",
  args: [1, 1],
  flags: REMOVAL_FLAGS,
  more: ["  bailiwick evidence redact 12 --reason 'a name that should not be there'"],
  load: async () => (await import("./run-evidence-redact.ts")).runEvidenceRedact,
};

export const EVIDENCE_COMMANDS: readonly Command[] = [tail, show, trace, verify, exportIt, checkpoint, purge, redact];
