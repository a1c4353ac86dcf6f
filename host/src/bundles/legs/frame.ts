/**
 * Writes requests and notices to an upstream in its dialect. Params and foreign `_meta` are spliced in as they came; the
 * progress token is always our own, because progress is the sign of life that deadlines look for.
 */
import type { AskAnswer } from "../../kernel/ask.ts";
import { HOST_EXTENSIONS, type ExtensionPort } from "../../kernel/host-extension.ts";
import type { ProviderRequest } from "../../kernel/provider.ts";
import type { RawJson, RawMembers } from "../../kernel/raw-json.ts";
import { joinMembers, membersOf } from "../../kernel/scan-json.ts";
import { Envelope, MODERN_VERSION } from "./envelope.ts";
import { oneLine, UI_EXTENSION } from "./frame-parts.ts";

export const LEGACY_VERSIONS: readonly string[] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];

/** How one upstream is spoken to. */
export interface Dialect {
  readonly era: "legacy" | "modern";
  readonly version: string;
  /** Null: this era has none. */
  readonly envelope: Envelope | null;
}

/** What the host can serve, declared once to a legacy server: whom a question is for is seen when it comes. */
export const legacyCapabilities = (offered: RawMembers): string =>
  `{"elicitation":{"form":{},"url":{}},"sampling":{"tools":{}},"roots":{},` +
  `"extensions":{${UI_EXTENSION}${offered === "" ? "" : `,${offered}`}}}`;

export const modernDialect = (hostVersion: string, port: ExtensionPort): Dialect => ({
  era: "modern",
  version: MODERN_VERSION,
  envelope: new Envelope(hostVersion, port),
});

export const legacyDialect = (version: string): Dialect => ({ era: "legacy", version, envelope: null });

export interface Outgoing {
  readonly method: string;
  readonly params: string;
  readonly meta: string;
  /** The call that it carries; absent when the host asks for itself. */
  readonly call?: ProviderRequest;
}

export const frameRequest = (id: number, request: Outgoing, { envelope }: Dialect): string => {
  const params = request.params === "" ? "" : `${oneLine(request.params)},`;
  const meta = request.meta === "" ? "" : foreignMeta(request.meta);
  const head = `{"jsonrpc":"2.0","id":${id},"method":"${request.method}","params":{${params}`;
  const tail = `${meta}"progressToken":${id}}}}`;
  if (envelope === null) return `${head}"_meta":{${tail}`;
  return `${head}${inputOf(request)}"_meta":{${envelope.of(request.call)}${tail}`;
};

/** A caller may not tell a server where the host's extensions are to be had. */
const foreignMeta = (meta: string): string => {
  const text = oneLine(meta);
  if (!text.includes("ai.nimblebrain") && !text.includes("\\")) return `${text},`;
  const object = `{${text}}`;
  const members = membersOf(object);
  const kept = members.filter(({ key }) => !HOST_EXTENSIONS.includes(key));
  if (kept.length === members.length) return `${text},`;
  return kept.length === 0 ? "" : `${joinMembers(object, kept)},`;
};

const inputOf = ({ call }: Outgoing): string => {
  const input = call?.input;
  if (!input) return "";
  const responses = input.responses === null ? "" : `"inputResponses":${oneLine(input.responses)},`;
  return input.state === null ? responses : `${responses}"requestState":${oneLine(input.state)},`;
};

export const frameNotification = (method: string, params = ""): string =>
  `{"jsonrpc":"2.0","method":"${method}"${params === "" ? "" : `,"params":{${params}}`}}`;

/** The answer to a request of the server. */
export const frameAnswer = (id: RawJson, { kind, json }: AskAnswer): string =>
  `{"jsonrpc":"2.0","id":${id},"${kind}":${oneLine(json)}}`;
