/**
 * What went wrong between the host and an authorization server, as the refusal of the request that needed a token; the
 * request itself did not run. Of what that server wrote only a code passes: its sentences may hold anything.
 */
import { Refusal } from "../../kernel/refusal.ts";

interface Failure {
  readonly name?: string;
  readonly message?: string;
  readonly code?: unknown;
  readonly status?: unknown;
}

const CODE = /^[a-z_]{1,60}$/;
const RETRY_MS = 5_000;

/** `ownClient`: the host signs in for itself, so that a "no" of the server is about the configuration. */
export const flowFailure = (error: unknown, ownClient: boolean): Refusal => {
  if (error instanceof Refusal) return error;
  const because = describeFlowFailure(error);
  if ((error as Failure).name === "AuthorizationServerMismatchError") {
    return new Refusal("credentials_required", {
      message: "The server has moved to another authorization server than the one that `clientId` was first used with.",
      next: "If that is right, register a client at the new one and put its `clientId` into `transport.auth` of this entry.",
    });
  }
  if (ownClient && (error as Failure).name === "OAuthError") {
    return new Refusal("credentials_required", {
      message: `No token was given to this host: ${because}.`,
      next: "Correct `clientId`, `clientSecret` and `scopes` in `transport.auth` of this bundle's entry and start it again.",
    });
  }
  return new Refusal("not_ready", {
    message: `No token could be had: ${because}; nothing was sent.`,
    next: "Try again; if it goes on, check that the authorization server of this bundle can be reached.",
    details: { error: "no_token" },
    retryAfterMs: RETRY_MS,
  });
};

export const describeFlowFailure = (error: unknown): string => {
  const { name, message, code, status } = (error ?? {}) as Failure;
  if (name === "OAuthError") return `the authorization server answered ${isCode(code) ? code : "with an error"}`;
  if (name === "RegistrationRejectedError") {
    return `the authorization server registers no client of this host (HTTP ${String(status)}); set \`clientId\` in \`transport.auth\``;
  }
  if (name === "SyntaxError" || name?.includes("Zod")) return "the authorization server's answer cannot be read";
  return (message ?? "unknown failure").slice(0, 500);
};

const isCode = (code: unknown): code is string => typeof code === "string" && CODE.test(code);
