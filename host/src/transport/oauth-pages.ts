/** What a person reads who connects an account at the server of a bundle. */
import type { Refusal } from "../kernel/refusal.ts";
import { escapeHtml, type Page } from "./html-page.ts";
import type { OAuthConsent } from "./oauth-admin.ts";

const code = (text: string): string => `<code>${escapeHtml(text)}</code>`;

const hidden = (name: string, value: string | null): string =>
  value === null ? "" : `<input type="hidden" name="${name}" value="${escapeHtml(value)}">`;

export interface StartFacts {
  readonly provider: string;
  /** For whom and in which workspace, if the link says. */
  readonly wanted: string | null;
  readonly workspace: string | null;
  readonly noAuth: boolean;
}

/** Tells nothing that the link itself does not: it is shown to whoever opens it. */
export const startPage = ({ provider, wanted, workspace, noAuth }: StartFacts): Page => ({
  status: 200,
  title: "Connect an account",
  body: `<p>The bundle ${code(provider)} of this host asks for an account at its server${
    wanted === null ? "" : `, for calls of ${code(wanted)}`
  }.</p>
<form method="post">
${hidden("for", wanted)}
${hidden("workspace", workspace)}
${
  noAuth
    ? ""
    : `<p><label>Your key for this host<br>
<input type="password" name="key" autocomplete="current-password" required></label></p>
<p>The owner's key is in the file that <code>bailiwick serve</code> names.</p>`
}
<p><button>Show what it asks for</button></p>
</form>`,
});

export const consentPage = ({ provider, upstream, owner, authorizationServer, scopes, url }: OAuthConsent): Page => ({
  status: 200,
  title: "Connect an account",
  body: `<p>${code(owner)} asks to use your account at ${code(upstream)}, through the bundle ${code(provider)} of this host.</p>
<p>It asks ${code(authorizationServer)} for ${
    scopes === null ? "whatever that server gives" : scopes.map(code).join(", ")
  }.</p>
<p>If you agree there, every call of ${code(owner)} to this bundle is made with your account, until you withdraw it there. If
you did not ask for this, close this page.</p>
<p><a href="${escapeHtml(url)}" rel="noreferrer">Continue to ${escapeHtml(new URL(url).host)}</a></p>`,
});

export const connectedPage = (provider: string, owner: string): Page => ({
  status: 200,
  title: "Connected",
  body: `<p>${code(owner)} now uses your account through the bundle ${code(provider)}. You can close this page.</p>`,
});

export const refusedPage = ({ message, next, row }: Refusal): Page => ({
  status: row.rest,
  title: "Not connected",
  body: `<p>${escapeHtml(message)}</p>
<p>${escapeHtml(next)}</p>`,
});
