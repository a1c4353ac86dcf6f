/** An entry with its secrets in place (`redaction` knows them then), or the refusal that names every unset variable. */
import type { BundleEntry } from "@bailiwick/contract";
import { HostError } from "../kernel/host-error.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { BundlesOptions } from "./bundles-options.ts";
import type { Redaction } from "./redaction.ts";

interface ResolveOptions {
  readonly pointer: string;
  readonly bundles: BundlesOptions;
  readonly redaction: Redaction;
}

export const resolveEntry = <K extends BundleEntry["kind"]>(
  entry: BundleEntry & { readonly kind: K },
  { pointer, bundles, redaction }: ResolveOptions,
): BundleEntry & { readonly kind: K } => {
  const resolved = bundles.resolveSecrets(entry, pointer);
  if (!resolved.ok) {
    throw new Refusal("install_refused", {
      message: `The entry at ${pointer} cannot be used: ${resolved.unresolved.map(({ message }) => message).join("; ")}.`,
      next: "Set the named variables in the host's environment and start the host again.",
    });
  }
  redaction.learn(resolved.secrets);
  if (!isKind(resolved.entry, entry.kind)) throw new HostError(`resolving secrets changed the kind of ${pointer}`);
  return resolved.entry;
};

const isKind = <K extends BundleEntry["kind"]>(
  entry: BundleEntry,
  kind: K,
): entry is BundleEntry & { readonly kind: K } => entry.kind === kind;
