/** What a person reads who decides about a call. What comes from callers is shown as text, with nothing hidden in it. */
import { hash } from "node:crypto";
import type { ApprovalRecord, ApprovalState } from "../kernel/approvals.ts";
import type { Refusal } from "../kernel/refusal.ts";
import { escapeHtml, type Page } from "./html-page.ts";

export interface ApprovalForm {
  readonly id: string;
  /** As the link says; null: the one of the key. */
  readonly workspace: string | null;
  readonly noAuth: boolean;
}

const STYLE =
  "body{max-width:44rem;margin:1rem auto;padding:0 1rem;font:1rem/1.5 sans-serif}" +
  "pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid;padding:.5rem}" +
  "code{overflow-wrap:anywhere}th{text-align:left;vertical-align:top;padding-right:1rem}" +
  "input,textarea,button{font:inherit;max-width:100%;box-sizing:border-box}button{padding:.5rem 1.5rem;margin-right:1rem}";

/** The one style sheet that may be used is the one that stands here; without it long arguments would run off a phone. */
const HEADERS = {
  "Content-Security-Policy":
    `default-src 'none'; style-src 'sha256-${hash("sha256", STYLE, "base64")}'; ` +
    "frame-ancestors 'none'; form-action 'self'; base-uri 'none'",
};

/** Characters that are not seen, or turn the direction of what is: they are written out. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\p{Zl}\p{Zp}]|\p{Default_Ignorable_Code_Point}/gu;

const show = (text: string): string =>
  escapeHtml(
    text.replace(UNSEEN, (found) => (found === "\n" ? found : `\\u{${found.codePointAt(0)?.toString(16) ?? ""}}`)),
  );

const code = (text: string): string => `<code>${show(text)}</code>`;

const page = (status: number, title: string, body: string): Page => ({
  status,
  title,
  body: `<style>${STYLE}</style>\n${body}`,
  headers: HEADERS,
});

const keyField = ({ noAuth }: ApprovalForm): string =>
  noAuth
    ? ""
    : `<p><label>Your key for this host<br>
<input type="password" name="key" autocomplete="off" required></label></p>`;

/** Tells nothing that the link itself does not: it is shown to whoever opens it. */
export const keyPage = (form: ApprovalForm, wrong: string | null): Page =>
  page(
    wrong === null ? 200 : 401,
    "Decide about a call",
    `<p>A call may be waiting for a person to allow it: ${code(form.id)}.</p>
${wrong === null ? "" : `<p><strong>${show(wrong)}</strong></p>`}
<form method="post" autocomplete="off">
${keyField(form)}
<p>The owner's key is in the file that <code>bailiwick serve</code> names.</p>
<p><button>Show what is asked</button></p>
</form>`,
  );

const row = (name: string, value: string): string => `<tr><th scope="row">${name}</th><td>${value}</td></tr>`;

const facts = (record: ApprovalRecord): string => {
  const { capability, requested_by: by, on_behalf_of: behind, chain = [], workspace, rule, risk_tier: risk } = record;
  return `<table>
${row("Tool", `${code(record.tool)}, version ${code(capability.version)}`)}
${row(
  "Asked by",
  `${code(by)}${behind === undefined ? "" : `, for ${code(behind)}`}${chain
    .toReversed()
    .map((actor) => `, asked by ${code(actor)}`)
    .join("")}`,
)}
${row("Workspace", `${code(workspace)}, by way of ${show(record.door)}`)}
${row("Risk", show(risk))}
${row("Rule", code(rule))}
${row("Needs", needs(record))}
${row("Asked", show(record.created_at))}
${row("Until", show(record.expires_at))}
${record.decisions.map(({ by: who, decision, reason }) => row(decision === "approve" ? "Yes" : "No", `${code(who)}${reason === undefined ? "" : `: ${show(reason)}`}`)).join("\n")}
</table>`;
};

const needs = ({ required: { count, approvers, four_eyes: fourEyes } }: ApprovalRecord): string => {
  const who =
    approvers.length === 0 ? "" : ` of ${approvers.map((list) => list.map(code).join(" or ")).join(", and of ")}`;
  return `${count} yes${who}${fourEyes ? "; not by the one it is for" : ""}`;
};

const argumentsOf = ({ arguments: args }: ApprovalRecord): string =>
  args === null
    ? "<p>You may not see the arguments of this call, so you cannot allow it; you may refuse it.</p>"
    : `<h2>Its exact arguments</h2>\n<pre>${show(JSON.stringify(args, null, 2))}</pre>`;

export const decisionPage = (record: ApprovalRecord, form: ApprovalForm): Page =>
  page(
    200,
    record.state === "pending" ? "May this call be made?" : STATES[record.state],
    `${facts(record)}
${argumentsOf(record)}
${record.state === "pending" ? decisionForm(form, record.arguments !== null) : `<p>There is nothing left to decide: ${show(STATES[record.state])}.</p>`}`,
  );

const ALLOW = `<label><input type="radio" name="decision" value="approve" required> Allow this call, once</label><br>
`;

/** Nothing is chosen beforehand: who only presses Enter after the key decides nothing. */
const decisionForm = (form: ApprovalForm, mayAllow: boolean): string => `<form method="post" autocomplete="off">
<p>${mayAllow ? ALLOW : ""}<label><input type="radio" name="decision" value="deny" required> Refuse it</label></p>
<p><label>Reason (whoever called reads it)<br>
<textarea name="reason" rows="2" cols="40" maxlength="500"></textarea></label></p>
${keyField(form)}
<p><button>Decide</button></p>
</form>`;

const STATES: Readonly<Record<ApprovalState, string>> = {
  pending: "More people have to say yes",
  granted: "Allowed",
  denied: "Refused",
  expired: "Its time is over",
  cancelled: "It was withdrawn",
  consumed: "Allowed, and the call was made",
};

export const decidedPage = (record: ApprovalRecord): Page =>
  page(
    200,
    STATES[record.state],
    `<p>${code(record.tool)} for ${code(record.requested_by)}: ${show(STATES[record.state])}. Whoever called hears of it; you can
close this page.</p>`,
  );

export const refusedPage = ({ message, next, row: { rest } }: Refusal): Page =>
  page(rest, "Not decided", `<p>${show(message)}</p>\n<p>${show(next)}</p>`);
