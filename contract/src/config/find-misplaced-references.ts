/** `${env:NAME}` where it is not resolved: the text would be taken literally, which nobody who writes it wants. */
import { type Finding, pointerOf } from "./finding.ts";

const RESOLVED = [
  /^\/bundles\/\d+\/(?:env|userConfig)\//,
  /^\/bundles\/\d+\/transport\/(?:auth|headers)\//,
  /^\/providers\/[^/]+\//,
  /^\/auth\/chpKeys\//,
];
/** Rule texts, prompts and the like are the operator's own prose. */
const PROSE = /^\/(?:agents|identity|policy)(?:\/|$)/;

export const findMisplacedReferences = (root: unknown): Finding[] => {
  const findings: Finding[] = [];
  const visit = (value: unknown, path: readonly PropertyKey[]): void => {
    if (typeof value === "string") {
      if (!value.includes("${env:")) return;
      const pointer = pointerOf(path);
      if (PROSE.test(pointer) || RESOLVED.some((pattern) => pattern.test(pointer))) return;
      const message =
        "${env:…} is not resolved here and is taken literally; it works in env, userConfig, transport.auth, transport.headers, providers and auth.chpKeys";
      findings.push({ pointer, message });
    } else if (typeof value === "object" && value !== null) {
      const entries = Array.isArray(value) ? value.entries() : Object.entries(value);
      for (const [key, item] of entries) visit(item, [...path, key]);
    }
  };
  visit(root, []);
  return findings;
};
