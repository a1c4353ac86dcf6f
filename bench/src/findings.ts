/**
 * Everything one run found. `--json` prints it as it is; goals and report are made from nothing else.
 */
import type { Load } from "./load.ts";
import type { Subject } from "./subject.ts";

/** What was found, or why nothing could be. */
export type Found<T> = { readonly value: T } | { readonly failure: string };

interface Machine {
  readonly cores: number;
  readonly processor: string;
  readonly memoryBytes: number;
  readonly system: string;
  readonly node: string;
}

export interface SubjectFinding {
  readonly id: string;
  readonly title: string;
  readonly note: string;
  readonly kind: Subject["kind"];
  readonly loads: Found<readonly { readonly inFlight: number; readonly load: Load }[]>;
}

/** Calls a second with little and with much of something, measured in turns. */
export interface Flatness {
  readonly little: { readonly amount: number; readonly perSecond: number };
  readonly much: { readonly amount: number; readonly perSecond: number };
  readonly wrong: number;
}

/** The same at two doors, all four in the same turns. */
export interface DoorsFlatness {
  readonly mcp: Flatness;
  readonly chp: Flatness;
}

/** Calls a second over CHP to those over MCP, the middle of so many rounds with hosts of their own. */
export interface DoorsFinding {
  readonly rounds: number;
  readonly mcpPerSecond: number;
  readonly chpPerSecond: number;
  readonly chpToMcp: number;
  /** Of the rounds. */
  readonly lowest: number;
  readonly highest: number;
  /** With ids that the host makes. */
  readonly hostIdsToMcp: number;
  readonly wrong: number;
}

/** CPU time of one pass over a whole signed export, in a process of its own. */
export interface VerifyFinding {
  readonly events: number;
  readonly microsPerEvent: number;
}

/** CPU time of stage 6. */
export interface PolicyFinding {
  readonly rules: number;
  readonly microsPerDecision: number;
  readonly microsUnconfigured: number;
}

/** CPU time of stage 5. */
export interface GateFinding {
  readonly required: number;
  readonly microsRequiring: number;
  readonly microsPlain: number;
}

/** What calls that ended as pending left in the host. */
export interface ApprovalsFinding {
  readonly pending: number;
  readonly sockets: number;
  readonly timers: number;
  readonly bytesEach: number;
}

export interface StartFinding {
  readonly listeningMs: number;
  /** Until `tools/list` was answered at all, and until the bundle's tool was in it. */
  readonly firstListMs: number;
  readonly firstToolMs: number;
  readonly idleRssBytes: number;
  readonly idleTreeRssBytes: number;
}

/** Finding tools with the index by itself. */
export interface SearchFinding {
  readonly questions: number;
  /** Share of the questions whose tool is among the first five. */
  readonly recall: number;
  readonly recallUnseen: number;
  readonly recallPlain: number;
  readonly recallPlainUnseen: number;
  readonly tools: number;
  /** Of all queries, each asked several times. */
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Of the median time of each question, in which other work of the machine shows less. */
  readonly p99MedianMs: number;
  /** To index all of them, and in the median one provider again. */
  readonly buildMs: number;
  readonly changeMs: number;
}

/** The host's own tool that finds tools, without the gates and the evidence around it. */
export interface DiscoverFinding {
  readonly tools: number;
  readonly bundles: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The very first search, and in the median the first one after a bundle has listed its tools anew. */
  readonly firstMs: number;
  readonly changedMs: number;
}

interface Cost {
  readonly p50Ms: number;
  /** Of the host's process tree; null where there is no /proc. */
  readonly cpuMicros: number | null;
}

/** One at a time, in turns. */
export interface AgentFinding {
  /** A message that makes the model call one tool and then answer. */
  readonly message: Cost;
  /** The same call of the same tool over REST. */
  readonly rest: Cost;
  /** Both requests to the model of such a message, sent to it without a host. */
  readonly modelMs: number;
  /** A message that the model answers at once: until the first text, with the host and without. */
  readonly firstTextMs: number;
  readonly modelFirstTextMs: number;
}

/** How long one document takes. */
interface ReadCost {
  /** The very first, in the order of the documents, and in the median the first one after a bundle has listed its tools anew. */
  readonly coldMs: number;
  readonly changedMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

/** The documents of `capabilities://`, read one at a time. */
export interface ReadsFinding {
  readonly tools: number;
  readonly generators: number;
  /** From the start until all plug-ins had told what they are. */
  readonly describedMs: number;
  readonly documents: readonly {
    readonly uri: string;
    /** For the very first; null: none. */
    readonly targetMs: number | null;
    /** Where it is made, and at the client. */
    readonly made: ReadCost;
    readonly sent: ReadCost;
  }[];
}

/** Of texts by a generator that does nothing but wait. */
export interface BatchFinding {
  readonly items: number;
  readonly waitMs: number;
  readonly workers: number;
  readonly sequentialMs: number;
  readonly parallelMs: number;
}

/** The same requests with none and with many stored versions, medians, in turns. */
export interface VersionsFinding {
  readonly versions: number;
  readonly contents: number;
  readonly rows: readonly {
    readonly what: string;
    /** Its answer shows what is stored, or what is stored is read meanwhile: no goal. */
    readonly isList: boolean;
    readonly noneMs: number;
    readonly manyMs: number;
  }[];
}

export interface ComposeFinding {
  readonly reads: ReadsFinding;
  readonly batch: BatchFinding;
  readonly versions: VersionsFinding;
}

interface ProfileRow {
  readonly where: string;
  /** µs of the thread a call, in this room's own code with the native code it calls, and in Node's code on its behalf. */
  readonly ownMicros: number;
  readonly nodeMicros: number;
}
export interface ProfileFinding {
  readonly thread: string;
  readonly busyShare: number;
  readonly rows: readonly ProfileRow[];
}

export interface Findings {
  readonly quick: boolean;
  readonly machine: Machine;
  /** Median of fdatasync after a 4 KiB append, on the disk of the evidence log. */
  readonly fsyncMs: number;
  readonly subjects: readonly SubjectFinding[];
  readonly list: Found<{ readonly tools: number; readonly load: Load }> | null;
  readonly tools: Found<Flatness> | null;
  readonly doors: Found<DoorsFinding> | null;
  readonly events: Found<DoorsFlatness> | null;
  readonly workspaces: Found<Flatness> | null;
  readonly verify: Found<VerifyFinding> | null;
  readonly policy: Found<PolicyFinding> | null;
  readonly gate: Found<GateFinding> | null;
  readonly approvals: Found<ApprovalsFinding> | null;
  readonly search: Found<{ readonly index: SearchFinding; readonly tool: DiscoverFinding }> | null;
  readonly agent: Found<AgentFinding> | null;
  readonly compose: Found<ComposeFinding> | null;
  readonly start: Found<StartFinding> | null;
  readonly profile: Found<readonly ProfileFinding[]> | null;
}
