/**
 * What a failed HTTP request says about the call it carried: was it certainly not sent?
 */
interface NetworkError {
  readonly code?: string;
  readonly syscall?: string;
  readonly errors?: readonly NetworkError[];
  readonly message?: string;
}

const UNSENT_CODES = new Set([
  "UND_ERR_CONNECT_TIMEOUT",
  "ERR_ADDRESS_REFUSED",
  "ERR_TLS_CERT_ALTNAME_INVALID",
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
]);

const RESET_CODES = new Set(["ECONNRESET", "EPIPE", "UND_ERR_SOCKET"]);

/** True only when no byte of the request can have left. A reset on a socket that was open is not such a case. */
export const isUnsent = (error: unknown): boolean => {
  const { code, syscall, errors } = (error ?? {}) as NetworkError;
  if (errors && errors.length > 0) return errors.every(isUnsent);
  return syscall === "connect" || syscall === "getaddrinfo" || UNSENT_CODES.has(code ?? "");
};

/** The socket was closed before anything of an answer came. */
export const isReset = (error: unknown): boolean => RESET_CODES.has(((error ?? {}) as NetworkError).code ?? "");

export const describeFailure = (error: unknown): string => {
  const { code, message } = (error ?? {}) as NetworkError;
  return code === "ERR_ADDRESS_REFUSED" || code === undefined ? (message ?? "unknown failure").slice(0, 500) : code;
};
