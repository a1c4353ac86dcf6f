/**
 * `bailiwick approve`: what waits for a person. `approve <id> [yes|no]` shows the exact call and decides it; nobody is asked
 * where no person sits.
 */
import type { ReachedHost } from "../assembly/reached-host.ts";
import type { ApprovalRecord } from "../kernel/approvals.ts";
import { askDecision, isAtTerminal } from "./ask-person.ts";
import type { CommandContext, RunCommand } from "./command.ts";
import { cutText } from "./cut-text.ts";
import { describeApproval, expiryOf, whoAsks } from "./describe-approval.ts";
import { EXIT, type ExitCode } from "./exit-code.ts";
import { textFlag } from "./flags.ts";
import { reach } from "./reach.ts";
import { renderTable } from "./table.ts";
import { UsageError } from "./usage-error.ts";
import { visibleText } from "./visible-text.ts";

export const runApprove: RunCommand = (context) => {
  const [id, word] = context.args;
  const typed = word === undefined ? null : readWord(word);
  if (typed === null && textFlag(context, "reason") !== undefined) {
    throw new UsageError("A reason needs a decision.", "Write: bailiwick approve <id> yes|no --reason <text>");
  }
  return reach(context, "none", async (host) => {
    if (id === undefined) return list(context, await host.approvals.list("pending"));
    const record = await host.approvals.get(id);
    show(context, record, typed === null);
    const approve = typed ?? (await askHere(context, record));
    return approve === null ? leave(context, record) : decide(context, host, { record, approve });
  });
};

const readWord = (word: string): boolean => {
  if (word === "yes" || word === "no") return word === "yes";
  throw new UsageError(`"${word}" is neither yes nor no.`, "Usage: bailiwick approve <id> yes|no [--reason <text>]");
};

const CELL = 60;

const list = ({ terminal, json }: CommandContext, records: readonly ApprovalRecord[]): ExitCode => {
  if (json) {
    terminal.raw(`${JSON.stringify({ approvals: records }, null, 2)}\n`);
    return EXIT.done;
  }
  if (records.length === 0) {
    terminal.note("Nothing waits for approval.");
    return EXIT.done;
  }
  const now = Date.now();
  const cells = records.map((record) =>
    [record.id, record.tool, whoAsks(record), record.risk_tier, expiryOf(record, now)].map((cell) =>
      cutText(visibleText(cell), CELL),
    ),
  );
  const paint = (cell: string, _column: number, row: number): string => (row === 0 ? terminal.paint.dim(cell) : cell);
  const table = [["id", "tool", "asked by", "risk", "expires"], ...cells];
  for (const line of renderTable(table, { width: terminal.width, paint })) terminal.out(line);
  terminal.note("→ See the exact call, then decide: bailiwick approve <id>");
  return EXIT.done;
};

/** With --json the result is the record; what a person decides by is then beside it. */
const show = ({ terminal, json }: CommandContext, record: ApprovalRecord, isResult: boolean): void => {
  if (json && isResult) return terminal.raw(`${JSON.stringify(record, null, 2)}\n`);
  const paint = json ? terminal.notePaint : terminal.paint;
  for (const line of describeApproval(record, { paint, now: Date.now() })) {
    if (json) terminal.note(line);
    else terminal.out(line);
  }
};

const askHere = (context: CommandContext, { state }: ApprovalRecord): Promise<boolean | null> =>
  state === "pending" && !context.json && isAtTerminal(context)
    ? askDecision(context, "Approve this call?")
    : Promise.resolve(null);

const leave = ({ terminal }: CommandContext, { id, state }: ApprovalRecord): ExitCode => {
  if (state !== "pending") return EXIT.done;
  terminal.note(`Nothing was decided. → bailiwick approve ${visibleText(id)} yes|no`);
  return EXIT.pending;
};

interface Decision {
  readonly record: ApprovalRecord;
  readonly approve: boolean;
}

const decide = async (
  context: CommandContext,
  host: ReachedHost,
  { record: { id }, approve }: Decision,
): Promise<ExitCode> => {
  const { terminal, json } = context;
  const reason = textFlag(context, "reason");
  const decided = await host.approvals.decide(id, { approve, ...(reason === undefined ? {} : { reason }) });
  if (json) terminal.raw(`${JSON.stringify(decided, null, 2)}\n`);
  else terminal.out(sayDecided(decided, approve));
  return EXIT.done;
};

const sayDecided = ({ state, required, decisions }: ApprovalRecord, approve: boolean): string => {
  if (!approve) return "Denied.";
  const missing = required.count - decisions.filter(({ decision }) => decision === "approve").length;
  if (state === "pending") return `Your yes is recorded; ${missing} more needed.`;
  return "Approved. The call runs once, when it is repeated as it was or still waits.";
};
