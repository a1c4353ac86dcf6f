/**
 * Judges one token: signed by the issuer with an algorithm we take, for this host, in time, about somebody. What is wrong
 * with a bad one is said in a word that repeats nothing of the token.
 */
import { errors, jwtVerify, type JWTPayload } from "jose";
import type { IssuerKeys } from "./issuer-keys.ts";
import { KeysUnavailable } from "./keys-unavailable.ts";

const ALGORITHMS = ["RS256", "PS256", "ES256", "EdDSA"];
export const LEEWAY_S = 30;
/** What OpenID Connect allows for `sub`. */
const MAX_SUBJECT = 255;

export interface TokenRules {
  readonly issuer: string;
  readonly audience: string;
  readonly keys: IssuerKeys;
  readonly now: number;
}

export interface Claims extends JWTPayload {
  readonly sub: string;
  readonly exp: number;
}

/** The claims, or why the token is not accepted. */
export const verifyToken = async (token: string, rules: TokenRules): Promise<Claims | string> => {
  try {
    const { payload } = await jwtVerify(token, rules.keys.find, {
      issuer: rules.issuer,
      audience: rules.audience,
      algorithms: ALGORITHMS,
      clockTolerance: LEEWAY_S,
      currentDate: new Date(rules.now),
      requiredClaims: ["exp", "sub"],
    });
    return isSubject(payload.sub) ? (payload as Claims) : "its subject (sub) is not a name that can be used";
  } catch (error) {
    const reason = reasonOf(error, rules);
    if (reason === null) throw error;
    return reason;
  }
};

const isSubject = (sub: unknown): boolean =>
  typeof sub === "string" && sub !== "" && sub.length <= MAX_SUBJECT && sub.isWellFormed();

/** Null: not a verdict about a token but a bug. */
const reasonOf = (error: unknown, rules: TokenRules): string | null => {
  if (error instanceof KeysUnavailable) return "the keys of its issuer cannot be had now";
  if (error instanceof errors.JWTExpired) return "it has expired";
  if (error instanceof errors.JWTClaimValidationFailed) return claimReason(error, rules);
  if (error instanceof errors.JOSEAlgNotAllowed) return `it is not signed with one of ${ALGORITHMS.join(", ")}`;
  if (error instanceof errors.JWKSNoMatchingKey) return "the issuer publishes no key that it was signed with";
  if (error instanceof errors.JWKSMultipleMatchingKeys) return "it does not say which key it was signed with (kid)";
  if (error instanceof errors.JWSSignatureVerificationFailed) return "its signature does not fit";
  if (error instanceof DOMException) return "the key that its issuer publishes for it cannot be used";
  return error instanceof errors.JOSEError || error instanceof TypeError ? "it is not a well-formed signed JWT" : null;
};

const claimReason = ({ claim, reason }: errors.JWTClaimValidationFailed, rules: TokenRules): string => {
  if (reason === "missing") return `it has no ${claim}`;
  if (claim === "iss") return `its issuer (iss) is not ${rules.issuer}`;
  if (claim === "aud") return `it is for another audience (aud) than ${rules.audience}`;
  if (claim === "nbf") return "it is not valid yet (nbf)";
  return `its ${claim} is not valid`;
};
