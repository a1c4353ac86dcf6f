/** From an entry to a bundle whose connections are made for those who come. */
import type { BundleParts, CreateBundleOptions } from "./create-bundle.ts";
import { idleReason } from "./idle-reason.ts";
import { IsolatedBundle } from "./isolated-bundle.ts";
import type { IsolatedBundleOptions } from "./isolated-bundle-options.ts";
import { PROCESS_TIMING } from "./timing.ts";

export const isolateBundle = (
  { name, entry, bundles }: CreateBundleOptions,
  { definitions, pins, redaction, onChange, log }: BundleParts,
  own: Pick<IsolatedBundleOptions, "accounts" | "shipped" | "shared" | "check" | "make">,
): IsolatedBundle =>
  new IsolatedBundle({
    ...own,
    name,
    definitions,
    pins,
    redaction,
    idleReason: idleReason({ name, entry, bundles }),
    trustScore: entry.trustScore,
    idleMs: bundles.timing?.idleMs ?? PROCESS_TIMING.idleMs,
    onChange,
    log,
    report: bundles.report,
  });
