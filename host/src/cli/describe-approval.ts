/** An approval for the person who is to decide it: the exact call, who asks, and what the decision needs. Pure. */
import type { ApprovalDecision, ApprovalRecord } from "../kernel/approvals.ts";
import type { Paint } from "./terminal.ts";
import { timeText } from "./time-text.ts";
import { visibleText } from "./visible-text.ts";

export interface ApprovalView {
  readonly paint: Paint;
  /** Ms since the epoch. */
  readonly now: number;
}

const LABEL_WIDTH = 11;

export const describeApproval = (record: ApprovalRecord, { paint, now }: ApprovalView): string[] => {
  const { capability, state } = record;
  const line = (label: string, text: string): string => `  ${paint.dim(label.padEnd(LABEL_WIDTH))}${visibleText(text)}`;
  return [
    `${paint.bold(visibleText(record.id))} ${state === "pending" ? paint.yellow(state) : state}`,
    line("call", `${record.tool} (${capability.id === record.tool ? "" : `${capability.id} `}${capability.version})`),
    line("asked by", `${whoAsks(record)}, over ${record.door}, in ${record.workspace}`),
    line("rule", `${record.rule} (risk ${record.risk_tier})`),
    line("needs", describeNeed(record.required)),
    ...record.decisions.map((decision) => line("decided", describeDecision(decision))),
    ...(record.reason === undefined ? [] : [line("reason", record.reason)]),
    line("expires", expiryOf(record, now)),
    line("digest", record.digest),
    ...describeArguments(record.arguments).map((text) => `  ${text}`),
  ];
};

export const whoAsks = ({ requested_by: by, on_behalf_of: whom, chain = [] }: ApprovalRecord): string =>
  `${by}${whom === undefined ? "" : ` for ${whom}`}${chain.length === 0 ? "" : `, asked by ${chain.toReversed().join(", asked by ")}`}`;

/** How long there is still time to decide. */
export const expiryOf = ({ expires_at: end }: ApprovalRecord, now: number): string => {
  const left = Date.parse(end) - now;
  return left > 0 ? `in ${timeText(left)}` : `at ${end}`;
};

const describeNeed = ({ count, approvers, four_eyes: fourEyes }: ApprovalRecord["required"]): string => {
  const whom = approvers.length === 0 ? "who may decide" : approvers.map((list) => list.join(" or ")).join(", also ");
  const people = count === 1 ? "one person" : `${count} different people`;
  return `${people}: ${whom}${fourEyes ? "; not the one it is for (four eyes)" : ""}`;
};

const describeDecision = ({ by, decision, at, reason }: ApprovalDecision): string =>
  `${decision} by ${by} at ${at}${reason === undefined ? "" : `: ${reason}`}`;

/** JSON has one line for each member, and no line of it begins in the middle of a text. */
const describeArguments = (args: ApprovalRecord["arguments"]): string[] =>
  args === null
    ? ["arguments: you may not see them, so you cannot allow it; you may refuse it"]
    : `arguments: ${JSON.stringify(args, null, 2)}`.split("\n").map(visibleText);
