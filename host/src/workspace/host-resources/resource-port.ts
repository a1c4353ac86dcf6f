/**
 * What one bundle is offered of `ai.nimblebrain/host-resources`, and the answers to what it asks. In this order: offered,
 * rate, params, policy, lookup, size, read. Only the store of the bundle's own workspace is ever looked at. Each request is
 * recorded before it is answered; refusals that cost nothing are counted (`refusal-tally.ts`).
 */
import type { AskAnswer } from "../../kernel/ask.ts";
import type { FilesOf } from "../../kernel/files.ts";
import { HOST_RESOURCES, notOffered, type BundleIdentity, type ExtensionPort } from "../../kernel/host-extension.ts";
import { NO_MEMBERS, rawMembers, type RawMembers } from "../../kernel/raw-json.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { fileContents } from "../files/file-contents.ts";
import { fileUri, idOfUri } from "../files/file-id.ts";
import type { ByteGate } from "./byte-gate.ts";
import type { ExtensionTokens } from "./extension-tokens.ts";
import type { ExtensionUse } from "./extension-use.ts";
import { readListParams } from "./list-params.ts";
import type { RefusalTally } from "./refusal-tally.ts";
import type { RenderedLists } from "./rendered-lists.ts";
import * as no from "./resource-errors.ts";

/** Whether the policy lets a bundle have this file, or with an empty URI the list of them; null: it does. */
export type JudgeUse = (bundle: BundleIdentity, uri: string) => Refusal | null;

export interface PortParts {
  readonly files: FilesOf;
  readonly maxReadBytes: number;
  readonly origin: () => string | null;
  readonly record: (use: ExtensionUse) => Promise<void>;
  readonly report: (bug: unknown) => void;
  readonly now: () => number;
  readonly gate: ByteGate;
  readonly lists: RenderedLists;
  readonly refusals: RefusalTally;
  readonly tokens: ExtensionTokens<ResourcePort>;
  /** Takes one request's share; 0, or in how many milliseconds there is one. */
  readonly spend: (bundle: BundleIdentity) => number;
  readonly judge: JudgeUse;
}

interface Asked {
  readonly method: string;
  readonly params: unknown;
}

interface Outcome {
  readonly answer: AskAnswer;
  readonly size?: number;
  readonly count?: number;
  /** That of the policy which refused it. */
  readonly rule?: string;
  /** A refusal that takes nothing of what the bundle may ask. */
  readonly costsNothing?: true;
}

const READ = "ai.nimblebrain/resources/read";
const LIST = "ai.nimblebrain/resources/list";
const SCHEME = /^files:/i;
/** A token is replaced when it is good for less than this. */
const RENEW_MS = 5 * 60_000;

export class ResourcePort implements ExtensionPort {
  readonly offered: readonly string[];
  readonly members: RawMembers;
  readonly #bundle: BundleIdentity;
  readonly #parts: PortParts;
  #meta: RawMembers = NO_MEMBERS;
  #metaOrigin: string | null = null;
  #renewAt = 0;
  #isOpen = false;

  constructor(bundle: BundleIdentity, offered: readonly string[], parts: PortParts) {
    this.offered = offered;
    this.#bundle = bundle;
    this.#parts = parts;
    this.members = this.#isOffered() ? advertise(parts.maxReadBytes) : NO_MEMBERS;
  }

  meta(): RawMembers {
    if (this.members === "" || !this.#isOpen) return NO_MEMBERS;
    const origin = this.#parts.origin();
    if (origin === null) return NO_MEMBERS;
    if (origin !== this.#metaOrigin || this.#parts.now() >= this.#renewAt) this.#renew(origin);
    return this.#meta;
  }

  open(): void {
    this.#revoke();
    this.#isOpen = true;
  }

  close(): void {
    this.#isOpen = false;
    this.#revoke();
    this.#parts.refusals.settle(this.#bundle);
  }

  decline(method: string, params: unknown, error: AskAnswer): Promise<AskAnswer> {
    return this.#close({ method, params }, { answer: error, costsNothing: true });
  }

  async serve(method: string, params: unknown): Promise<AskAnswer> {
    const asked: Asked = { method, params };
    try {
      if (!this.#isOpen || !this.#isOffered() || (method !== READ && method !== LIST)) {
        return await this.decline(method, params, notOffered(method));
      }
      const retryAfterMs = this.#parts.spend(this.#bundle);
      if (retryAfterMs > 0) return await this.decline(method, params, no.rateLimited(retryAfterMs));
      return method === READ ? await this.#read(asked) : await this.#close(asked, await this.#list(params));
    } catch (bug) {
      this.#parts.report(bug);
      return this.#close(asked, { answer: no.internalError() });
    }
  }

  async #read(asked: Asked): Promise<AskAnswer> {
    const uri = uriOf(asked.params);
    if (typeof uri !== "string") return this.#close(asked, { answer: uri.error });
    const id = idOfUri(uri);
    // By the one URI that the file has, however it was spelled.
    const refusal = this.#parts.judge(this.#bundle, fileUri(id));
    if (refusal !== null) return this.#close(asked, refused(refusal));
    const files = this.#parts.files(this.#bundle.workspace);
    const info = files.info(id);
    if (info === null) return this.#close(asked, { answer: no.fileNotFound(uri) });
    const { maxReadBytes, gate } = this.#parts;
    const { size } = info;
    if (size > maxReadBytes) {
      return this.#close(asked, { answer: no.fileTooLarge(uri, size, maxReadBytes), size });
    }
    return gate.hold(size, async () => {
      const bytes = await files.read(info.id);
      if (bytes === null) return this.#close(asked, { answer: no.fileNotFound(uri) });
      const answer: AskAnswer = { kind: "result", json: fileContents({ uri, file: info, bytes }).json };
      return this.#close(asked, { answer, size });
    });
  }

  async #list(params: unknown): Promise<Outcome> {
    const read = readListParams(params);
    if ("error" in read) return { answer: read.error };
    const refusal = this.#parts.judge(this.#bundle, "");
    if (refusal !== null) return refused(refusal);
    const { json, count } = await this.#parts.lists.find(this.#bundle.workspace, read.filter);
    return { answer: { kind: "result", json }, count };
  }

  async #close({ method, params }: Asked, outcome: Outcome): Promise<AskAnswer> {
    const { answer, size = null, count = null, rule } = outcome;
    const code = answer.kind === "error" ? answer.code : null;
    const use: ExtensionUse = {
      bundle: this.#bundle,
      method: no.cut(method),
      ...named(method, params),
      size,
      count,
      outcome: code === null ? "success" : code === -32603 ? "failure" : "denied",
      code,
      ...(rule !== undefined && { rule }),
    };
    try {
      await (outcome.costsNothing ? this.#parts.refusals.note(use) : this.#parts.record(use));
      return answer;
    } catch (error) {
      if (!(error instanceof Refusal)) this.#parts.report(error);
      return no.unrecorded();
    }
  }

  #isOffered(): boolean {
    return this.offered.includes(HOST_RESOURCES);
  }

  #revoke(): void {
    this.#parts.tokens.revoke(this);
    this.#renewAt = 0;
  }

  /** The one before stays good for as long as it said. */
  #renew(origin: string): void {
    const { token, expiresAt } = this.#parts.tokens.issue(this);
    const told = {
      endpoint: `${origin}/ext/host-resources`,
      token,
      expiresAt: new Date(expiresAt).toISOString(),
    };
    this.#meta = rawMembers(`${JSON.stringify(HOST_RESOURCES)}:${JSON.stringify(told)}`);
    this.#metaOrigin = origin;
    this.#renewAt = expiresAt - RENEW_MS;
  }
}

const refused = (refusal: Refusal): Outcome => ({
  answer: no.policyDenied(refusal),
  rule: String(refusal.details["matched_rule"]),
});

const advertise = (maxSize: number): RawMembers =>
  rawMembers(
    `"${HOST_RESOURCES}":{"read":{"enabled":true,"range":false,"maxSize":${maxSize}},"list":{"enabled":true},` +
      `"write":{"enabled":false},"schemes":["files"]}`,
  );

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** The URI when it is one of `files`, whatever follows. */
const uriOf = (params: unknown): string | { readonly error: AskAnswer } => {
  if (params !== undefined && params !== null && !isObject(params)) return { error: no.wrongType("params", params) };
  const { uri, _meta: meta = {} } = params ?? {};
  if (typeof uri !== "string") return { error: no.wrongType("uri", uri) };
  if (!isObject(meta)) return { error: no.wrongType("_meta", meta) };
  return SCHEME.test(uri) ? uri : { error: no.uriSchemeNotOffered(uri) };
};

/** What was asked for, for the record, before anything of it is known to be right. */
const named = (method: string, params: unknown): Pick<ExtensionUse, "uri" | "filter"> => {
  if (!isObject(params)) return { uri: null, filter: null };
  const { uri, filter, _meta: meta } = params;
  if (method !== LIST) return { uri: typeof uri === "string" ? no.cut(uri) : null, filter: null };
  const given = (isObject(meta) ? meta["filter"] : undefined) ?? filter;
  return { uri: null, filter: given === undefined ? null : no.cut(JSON.stringify(given)) };
};
