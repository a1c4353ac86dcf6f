/** What a bundle to which each principal has a connection of its own is made from. */
import type { Catalogue } from "../kernel/provider.ts";
import type { BundleEvent } from "./bundle-event.ts";
import type { BundleProvider } from "./bundle-provider.ts";
import type { BundleParts } from "./create-bundle.ts";
import type { DefinitionsFile } from "./definitions-file.ts";
import type { Accounts } from "./oauth/accounts.ts";
import type { Pins } from "./pinning/pins.ts";
import type { Redaction } from "./redaction.ts";
import type { StartCheckOptions } from "./start-check.ts";

export interface IsolatedBundleOptions {
  readonly name: string;
  /** Null: it wants none. */
  readonly accounts: Accounts | null;
  /** What it lists, where the host ships that; null: a connection finds out. */
  readonly shipped: Catalogue | null;
  /** All use one connection, made for the first who comes. */
  readonly shared: boolean;
  /** The install gate, at each start, before anybody comes; null: only a connection finds out. */
  readonly check: StartCheckOptions["check"];
  readonly definitions: DefinitionsFile;
  readonly pins: Pins;
  readonly redaction: Redaction;
  readonly idleReason: string;
  readonly trustScore: number | null;
  readonly idleMs: number;
  /** The supervised connection of one principal, with what it tells of itself. */
  readonly make: (owner: string, told: Pick<BundleParts, "onChange" | "log">) => BundleProvider;
  readonly onChange: (name: string) => void;
  readonly log: (event: BundleEvent) => void;
  readonly report: (error: unknown) => void;
}
