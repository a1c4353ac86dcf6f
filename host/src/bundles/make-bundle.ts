/** The right kind of bundle for an entry: one connection for all, or one for each principal, with accounts or without. */
import type { BundleEntry } from "@bailiwick/contract";
import type { Refusal } from "../kernel/refusal.ts";
import { createBashBundle } from "./bash/create-bash-bundle.ts";
import { BASH_NAME } from "./bash/locate-bash.ts";
import type { Bundle } from "./bundle.ts";
import { createIsolatedBundle } from "./create-isolated-bundle.ts";
import { createBundle, type CreateBundleOptions } from "./create-bundle.ts";
import { createOAuthBundle } from "./create-oauth-bundle.ts";
import type { Connectable } from "./oauth/create-connector.ts";

/** What an entry has become. */
export interface KeptBundle extends MadeBundle {
  readonly name: string;
  readonly entry: BundleEntry;
  /** It did not get the name it wants; what it is listed under is no name to run with. */
  readonly misnamed: Refusal | null;
}

export interface MadeBundle {
  readonly bundle: Bundle;
  /** Null: it wants no account. */
  readonly connectable: Connectable | null;
}

const makePlain = (options: CreateBundleOptions): Bundle => {
  const { entry } = options;
  if (entry.kind === "name" && entry.name === BASH_NAME) return createBashBundle({ ...options, entry });
  return entry.isolation === "principal" ? createIsolatedBundle(options) : createBundle(options);
};

export const makeBundle = (options: CreateBundleOptions): MadeBundle => {
  const { entry } = options;
  if (entry.kind === "url" && entry.transport.auth.type === "oauth") {
    const connectable = createOAuthBundle({ ...options, entry });
    return { bundle: connectable.bundle, connectable };
  }
  return { bundle: makePlain(options), connectable: null };
};
