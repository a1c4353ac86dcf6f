/** What a person does about an install that failed, from what npm said. */
const CASES = [
  {
    pattern: /\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ETIMEDOUT|ENETUNREACH|EIDLETIMEOUT)\b/,
    advice:
      "npm could not reach its registry. Connect to the network (behind a proxy: npm config set proxy <url>) and try again; " +
      "what is installed once works offline.",
  },
  {
    pattern: /\b(SELF_SIGNED_CERT|UNABLE_TO_VERIFY|UNABLE_TO_GET_ISSUER|CERT_)/,
    advice: "npm does not trust the registry's certificate. Run: npm config set cafile <your CA file>, and try again.",
  },
  {
    pattern: /\bENOSPC\b/,
    advice: "The disk is full. The packages need about 600 MB; make room and try again.",
  },
  {
    pattern: /\b(EACCES|EPERM)\b/,
    advice:
      "npm may not write here. Make this folder and ~/.npm yours (sudo chown -R $(id -u) . ~/.npm) and try again.",
  },
];

/** Null when npm's own words have to do. */
export const explainInstallFailure = (output) => CASES.find(({ pattern }) => pattern.test(output))?.advice ?? null;
