/**
 * The host as a bundle sees it: what it offers beyond MCP, and the files of the workspace. Nothing is kept between calls, and
 * nothing is sent twice.
 */
import { readAdvertisement } from "./advertisement.ts";
import { explainFailure } from "./explain-failure.ts";
import { HostCapabilityMissing } from "./host-capability-missing.ts";
import type { HostContext, HostRequest, McpServerLike, PlainContext } from "./host-context.ts";
import { linkTo, type HostLink } from "./host-link.ts";
import { HOST_RESOURCES } from "./host-resources-key.ts";
import { readAnswer, type ListResult, type ReadResult } from "./read-answer.ts";

export interface ListFilter {
  readonly scheme?: string;
  /** The bare type, exactly. */
  readonly mimeType?: string;
  /** All of them. */
  readonly tags?: readonly string[];
}

export interface Host {
  /** Files can be read: the host offers it, and there is a way to ask. Sends nothing. */
  readonly available: boolean;
  /** The same for lists. */
  readonly listAvailable: boolean;
  supportsScheme(scheme: string): boolean;
  /** HostCapabilityMissing without `available`; HostResourceError and its kinds for what the host refuses. */
  read(uri: string): Promise<ReadResult>;
  list(filter?: ListFilter): Promise<ListResult>;
}

type Operation = "read" | "list";

export function host(context: PlainContext): Host;
/** `server`, beside a handler's context: the server that the handler belongs to. */
export function host(context: HostContext, server?: McpServerLike): Host;
export function host(context: HostContext, server?: McpServerLike): Host {
  const link = linkTo(context, server);
  return {
    get available() {
      return wayFor("read", link) !== null;
    },
    get listAvailable() {
      return wayFor("list", link) !== null;
    },
    supportsScheme: (scheme) => readAdvertisement(link.capabilities()).schemes.includes(scheme),
    async read(uri) {
      const request = { method: "ai.nimblebrain/resources/read", params: { uri } };
      return readAnswer<ReadResult>(await send("read", { link, request, uri }), "contents");
    },
    async list(filter = {}) {
      const request = { method: "ai.nimblebrain/resources/list", params: paramsOf(filter) };
      return readAnswer<ListResult>(await send("list", { link, request, uri: null }), "resources");
    },
  };
}

const wayFor = (operation: Operation, link: HostLink): ReturnType<HostLink["way"]> =>
  readAdvertisement(link.capabilities())[operation] ? link.way() : null;

interface Sending {
  readonly link: HostLink;
  readonly request: HostRequest;
  readonly uri: string | null;
}

const send = async (operation: Operation, { link, request, uri }: Sending): Promise<unknown> => {
  const way = wayFor(operation, link);
  if (way === null) throw new HostCapabilityMissing(HOST_RESOURCES, operation);
  try {
    return await way(request);
  } catch (thrown) {
    throw explainFailure(thrown, uri);
  }
};

const paramsOf = ({ scheme, mimeType, tags }: ListFilter): HostRequest["params"] => {
  const filter = Object.entries({ scheme, mimeType, tags }).filter(([, value]) => value !== undefined);
  return filter.length === 0 ? {} : { _meta: { filter: Object.fromEntries(filter) } };
};
