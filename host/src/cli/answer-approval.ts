/** A call of the agent that waits for a person: shown exactly, and decided in place; where nobody sits, said how to. */
import type { ReachedHost } from "../assembly/reached-host.ts";
import type { ApprovalRecord } from "../kernel/approvals.ts";
import { Refusal } from "../kernel/refusal.ts";
import { describeApproval } from "./describe-approval.ts";
import type { ApprovalNeeded } from "./hold-while-asking.ts";
import type { Lines } from "./open-lines.ts";
import { visibleProse } from "./prose.ts";
import type { Paint } from "./terminal.ts";
import { visibleText } from "./visible-text.ts";

export interface AnswerOptions {
  readonly approvals: Pick<ReachedHost["approvals"], "get" | "decide">;
  readonly note: (line: string) => void;
  readonly paint: Paint;
  /** Null: nobody can be asked. */
  readonly lines: (() => Lines) | null;
  readonly signal: AbortSignal;
}

export const answerApproval = async (needed: ApprovalNeeded, options: AnswerOptions): Promise<void> => {
  const { approvals, note, paint, lines, signal } = options;
  const id = visibleText(needed.approvalId);
  if (lines === null) {
    note(`${paint.yellow("Waits for approval:")} ${visibleText(needed.name)}`);
    return note(`→ Who may decide sees the call and decides: bailiwick approve ${id} yes`);
  }
  try {
    const record = await approvals.get(needed.approvalId);
    for (const line of describeApproval(record, { paint, now: Date.now() })) note(line);
    const approve = record.state === "pending" ? await askUntilDecided(lines(), signal) : null;
    if (approve !== null) note(sayDecided(await approvals.decide(needed.approvalId, { approve }), approve));
    else if (record.state !== "pending") note(`It is decided already: ${record.state}.`);
    else if (signal.aborted) note(sayLeft(await approvals.get(needed.approvalId)));
    else note(`Nothing was decided. → bailiwick approve ${id} yes|no`);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    note(paint.red(visibleProse(error.message)));
    note(`→ ${visibleProse(error.next)}`);
  }
};

/** Null: the input ended, or somebody else was faster. */
const askUntilDecided = async (lines: Lines, signal: AbortSignal): Promise<boolean | null> => {
  for (;;) {
    const answer = (await lines.askAnew("Approve this call? [yes/no] ", signal))?.trim();
    if (answer === undefined) return null;
    if (/^y(?:es)?$/i.test(answer)) return true;
    if (/^no?$/i.test(answer)) return false;
  }
};

const sayLeft = ({ decisions }: ApprovalRecord): string => {
  const last = decisions.at(-1);
  if (last === undefined) return "The run does not wait for it any more.";
  return `${last.decision === "approve" ? "Approved" : "Denied"} by ${visibleText(last.by)}, elsewhere.`;
};

const sayDecided = ({ state, required, decisions }: ApprovalRecord, approve: boolean): string => {
  if (!approve) return "Denied.";
  if (state !== "pending") return "Approved.";
  const missing = required.count - decisions.filter(({ decision }) => decision === "approve").length;
  return `Your yes is recorded; ${missing} more needed.`;
};
