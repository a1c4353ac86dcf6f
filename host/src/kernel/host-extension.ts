/**
 * What the host offers to bundles beyond MCP, and who answers when one makes use of it. Which keys an entry is offered is
 * decided once; the install gate, the handshake and the dispatch read the same port.
 */
import { askError, type AskAnswer } from "./ask.ts";
import { NO_MEMBERS, type RawMembers } from "./raw-json.ts";

export const HOST_RESOURCES = "ai.nimblebrain/host-resources";

/** Every extension that this host has. */
export const HOST_EXTENSIONS: readonly string[] = [HOST_RESOURCES];

/** Methods that begin like this are for the port, whether or not it knows them. */
export const EXTENSION_METHODS = "ai.nimblebrain/";

/** Who asks; fixed when the process is spawned or the connection is opened, whoever is logged in. */
export interface BundleIdentity {
  readonly workspace: string;
  readonly provider: string;
}

/** What one bundle is offered. */
export interface ExtensionPort {
  readonly offered: readonly string[];
  /** The same as members of `capabilities.extensions`, ready to be spliced; empty when nothing is offered. */
  readonly members: RawMembers;
  /** Members of `_meta` on each request to a server of the modern era; empty where nothing is offered or nobody listens. */
  meta(): RawMembers;
  /** Answers one request of the bundle, and has recorded it then. Never rejects. What is not offered is -32601. */
  serve(method: string, params: unknown): Promise<AskAnswer>;
  /** Answers one request with an error of the caller's, for which nothing is looked at. It has recorded it then. */
  decline(method: string, params: unknown, error: AskAnswer): Promise<AskAnswer>;
  /** The bundle starts. Before this, and once it is closed, nothing is handed out or served. */
  open(): void;
  /** The bundle stopped: what it was handed is useless from now on. */
  close(): void;
}

export interface HostExtensions {
  /** `keys` are those that the entry may use; one that the host does not have is left out. */
  port(bundle: BundleIdentity, keys: readonly string[]): ExtensionPort;
}

/** What a method gets that is not offered. */
export const notOffered = (method: string): AskAnswer =>
  askError(-32601, `Method not found: ${method.slice(0, 200)}`, { method: method.slice(0, 200) });

/** For bundles that are offered nothing. */
export const NO_PORT: ExtensionPort = Object.freeze({
  offered: [],
  members: NO_MEMBERS,
  meta: () => NO_MEMBERS,
  serve: (method: string) => Promise.resolve(notOffered(method)),
  decline: (_method: string, _params: unknown, error: AskAnswer) => Promise.resolve(error),
  open: () => {},
  close: () => {},
});
