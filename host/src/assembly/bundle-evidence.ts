/**
 * What evidence says of bundles: who asked for what, durable before anything is done about it, and what became of it. Texts of
 * definitions, values, secrets and what a process wrote are never in it; hashes are.
 */
import type { Installed } from "../bundles/install-bundle.ts";
import type { Asking, HeldDefinition } from "../kernel/bundle-admin.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { HostEvents } from "./record-host-events.ts";

export interface BundleEvidence {
  asked(change: "start" | "stop" | "restart" | "uninstall", bundle: string, asking: Asking): Promise<void>;
  installAsked(source: object, asking: Asking): Promise<void>;
  installFailed(source: object, error: unknown, asking: Asking): Promise<void>;
  installed(installed: Installed, asking: Asking): Promise<void>;
  uninstalled(bundle: string, asking: Asking): Promise<void>;
  acceptAsked(bundle: string, held: readonly HeldDefinition[], asking: Asking): Promise<void>;
  configureAsked(bundle: string, fields: readonly string[], asking: Asking): Promise<void>;
  reloadAsked(asking: Asking): Promise<void>;
  /** Of what was turned down before anything was done; at most one a minute for each who asks. */
  refused(wanted: string, about: object, order: { readonly refusal: Refusal; readonly asking: Asking }): void;
}

const TOPIC = "lifecycle";

export const createBundleEvidence = ({ write, seldom }: Pick<HostEvents, "write" | "seldom">): BundleEvidence => ({
  async asked(change, bundle, asking) {
    await write(`bundle_${change}_asked`, TOPIC, { bundle, ...asking });
  },
  async installAsked(source, asking) {
    await write("bundle_install_asked", TOPIC, { source, ...asking });
  },
  async installFailed(source, error, asking) {
    const refusal = error instanceof Refusal ? describeRefusal(error) : null;
    await write("bundle_install_refused", TOPIC, { source, refusal, ...asking });
  },
  async installed({ name, located, bundle }, asking) {
    const tools = bundle.catalogue().tools.map(({ name: tool, definition }) => ({ tool, definition }));
    const { origin = null, digest = null } = located ?? {};
    const { version } = bundle.status();
    await write("bundle_installed", TOPIC, { bundle: name, version, origin, digest, tools, ...asking });
  },
  async uninstalled(bundle, asking) {
    await write("bundle_uninstalled", TOPIC, { bundle, ...asking });
  },
  async acceptAsked(bundle, held, asking) {
    const definitions = held.map(({ tool, reason, accepted, offered }) => ({ tool, reason, accepted, offered }));
    await write("bundle_definitions_accept_asked", TOPIC, { bundle, definitions, ...asking });
  },
  async configureAsked(bundle, fields, asking) {
    await write("bundle_configure_asked", TOPIC, { bundle, fields, ...asking });
  },
  async reloadAsked(asking) {
    await write("config_reload_asked", TOPIC, { ...asking });
  },
  refused(wanted, about, { refusal, asking: { by, workspace } }) {
    seldom(`bundle_${wanted}_refused`, by, { ...about, refusal: describeRefusal(refusal), workspace });
  },
});

/** Texts of these hold what was found in an order, or what a process wrote last. */
const UNQUOTED: ReadonlySet<string> = new Set(["bad_request", "not_ready"]);

const describeRefusal = ({ kind, message, details }: Refusal): object =>
  UNQUOTED.has(kind) ? { code: kind } : { code: kind, message, data: details };
