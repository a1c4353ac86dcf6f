/** Entries of `auth.principals`, and names in `auth.tokens`, that mean nobody: what they say would be lost without a word. */
import type { Finding } from "@bailiwick/contract";
import { keyIdOf } from "../../kernel/signing.ts";
import { parsePrincipal } from "./parse-principal.ts";

export interface AuthNames {
  readonly principals: Readonly<Record<string, unknown>>;
  /** Names of CHP keys. */
  readonly keyNames: readonly string[];
  readonly tokens: Readonly<Record<string, string>>;
}

const pointerTo = (block: string, name: string): string =>
  `/auth/${block}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;

export const principalFindings = ({ principals, keyNames, tokens }: AuthNames): readonly Finding[] => {
  const names = new Set(keyNames);
  const findings: Finding[] = [];
  for (const name of Object.keys(principals)) {
    if (parsePrincipal(name) || names.has(name) || Object.hasOwn(tokens, name)) continue;
    const message =
      "it is no principal: write person:, agent:, service:, bundle: or app: and a name, or the name of a CHP key";
    findings.push({ pointer: pointerTo("principals", name), message });
  }
  for (const [name, key] of Object.entries(tokens)) {
    const pointer = pointerTo("tokens", name);
    if (!parsePrincipal(name) && !parsePrincipal(`service:${name}`))
      findings.push({ pointer, message: "it can be no principal: use letters, digits and . _ @ / -, 256 at most" });
    if (keyIdOf(key) === null)
      findings.push({ pointer, message: "expected the base64 of an ed25519 public key, 32 bytes" });
  }
  return findings;
};
