/**
 * The evidence as the doors read, prove and give it out while the host runs. Who may see what is decided here, before
 * anything is read out; what one may not see is as if it were not there.
 */
import type { Archive, EventQuery, ExportQuery, HeadScheme, ReplayQuery, Statements } from "../../kernel/archive.ts";
import type { Principal } from "../../kernel/principal.ts";
import { Refusal } from "../../kernel/refusal.ts";
import { stableString } from "../../kernel/stable.ts";
import { consistencyOf, inclusionOf } from "../export-evidence.ts";
import { openStatements, type KeptAndHead } from "../statements/open-statements.ts";
import type { ArchiveOptions, Json } from "./archive-parts.ts";
import { exportText } from "./export-text.ts";
import { findBack, MAX_LOOKED_AT } from "./find-back.ts";
import { findEvents, type FoundEvents } from "./find-events.ts";
import { eachInTurns } from "./in-turns.ts";
import { maySee, seesAll } from "./may-see.ts";
import { ownEvents } from "./own-events.ts";
import { traceOf } from "./trace-of.ts";
import { verifyCorrelation } from "./verify-correlation.ts";
import { viewCorrelation, type CorrelationView } from "./view-correlation.ts";
import { withholdPayload } from "./withhold-payload.ts";

const MAX_CHECKPOINTS = 1000;
/** One view for a person; the rest is told by replay, in pages. */
const MAX_TRACED = 10_000;

const parse = (line: string): Json => JSON.parse(line) as Json;
const now = (): string => new Date().toISOString();

const badRange = (first: number, second: number, last: number): Refusal =>
  new Refusal("bad_request", {
    message: `${first} and ${second} are not two sizes of this log in order; it has ${last} events.`,
    next: `Send 0 <= first <= second <= ${last}.`,
    details: { first, second, sequence: last },
  });

class StoredArchive implements Archive {
  readonly statements: Statements;
  readonly #statements: KeptAndHead;
  readonly #options: ArchiveOptions;

  constructor(options: ArchiveOptions) {
    this.#options = options;
    const { hostId, log, state, tree, pinnedWitnesses, pinnedPrincipals } = options;
    this.#statements = openStatements({
      hostId,
      log,
      state,
      pinnedWitnesses,
      pinnedPrincipals,
      hadHead: async (sequence, head) =>
        sequence <= tree.size() && (tree.root(sequence) === head || (await options.headV1(sequence)) === head),
      revokedKeys: () => (this.identity()["revoked_keys"] ?? []) as readonly Json[],
    });
    this.statements = this.#statements;
  }

  last(): number {
    return this.#options.reader.last();
  }

  identity(): Json {
    return this.#options.key.identity();
  }

  async replay(reader: Principal, query: ReplayQuery): Promise<Json> {
    const { correlationId, limit, sinceSequence, includePayloads } = query;
    const events: Json[] = [];
    const sees = ownEvents(reader);
    let truncated = false;
    // What others may see depends on what came before it.
    const since = seesAll(reader) ? sinceSequence : 0;
    const lines = atMost(this.#options.reader.byCorrelation(correlationId, since), correlationId);
    await eachInTurns(lines, (line) => {
      const event = parse(line);
      if (!sees(event) || Number(event["sequence"]) <= sinceSequence) return true;
      truncated = events.length === limit;
      if (!truncated) events.push(includePayloads ? event : parse(withholdPayload(line)));
      return !truncated;
    });
    return { correlation_id: correlationId, events, event_count: events.length, truncated, replayed_at: now() };
  }

  events(reader: Principal, query: EventQuery): Promise<FoundEvents> {
    return findEvents(this.#options.reader, query, (event) => maySee(reader, event));
  }

  async event(reader: Principal, id: string): Promise<Json | null> {
    const line = /^\d{1,15}$/.test(id) ? this.#options.reader.byId(Number(id)) : await this.#named(reader, id);
    const event = line === null ? null : parse(line);
    return event !== null && maySee(reader, event) ? event : null;
  }

  async trace(reader: Principal, correlationId: string): Promise<Json> {
    const events: Json[] = [];
    const sees = ownEvents(reader);
    await eachInTurns(atMost(this.#options.reader.byCorrelation(correlationId), correlationId), (line) => {
      const event = parse(line);
      if (sees(event)) events.push(event);
      return events.length < MAX_TRACED;
    });
    return traceOf(correlationId, events);
  }

  async verify(reader: Principal, correlationId: string): Promise<Json> {
    const { hostId, tree } = this.#options;
    const { lines } = await this.#view(reader, correlationId);
    const checkpoint = tree.latestCheckpoint();
    return verifyCorrelation({ hostId, correlationId, lines: lines(), counts: ownEvents(reader), tree, checkpoint });
  }

  export(reader: Principal, query: ExportQuery): { readonly type: string; readonly parts: AsyncIterable<string> } {
    return exportText(this.#options, query, {
      reader,
      sees: ownEvents(reader),
      whole: async (correlationId) => (await this.#view(reader, correlationId)).given(),
    });
  }

  async head(scheme: HeadScheme): Promise<Json> {
    const { hostId, tree, headV1 } = this.#options;
    const sequence = tree.size();
    const head = scheme === "chp-store-head-v2" ? tree.root(sequence) : await headV1(sequence);
    const common = { host_id: hostId, scheme, revocation_head: this.#statements.revocationHead(), at: now() };
    return { ...common, sequence, store_head: head };
  }

  async inclusion(reader: Principal, correlationId: string): Promise<Json | null> {
    const { tree } = this.#options;
    const size = tree.size();
    const { lines } = await this.#view(reader, correlationId);
    const included = { correlationId, headHash: "", sequence: 0 };
    await eachInTurns(lines(), (line) => {
      const { sequence, content_hash: headHash } = parse(line);
      if (Number(sequence) <= size) Object.assign(included, { sequence, headHash });
      return true;
    });
    if (included.sequence === 0) return null;
    return { sequence: size, store_head: tree.root(size), proof: inclusionOf(tree, included, size) };
  }

  consistency(first: number, second: number): Promise<Json> {
    const { tree } = this.#options;
    const isSize = Number.isSafeInteger(first) && Number.isSafeInteger(second);
    if (!isSize || first < 0 || first > second || second > tree.size())
      return Promise.reject(badRange(first, second, tree.size()));
    return Promise.resolve(consistencyOf(tree, first, second));
  }

  checkpoints(from: number): Promise<readonly Json[]> {
    return Promise.resolve(this.#options.tree.checkpoints(from, MAX_CHECKPOINTS).map(parse));
  }

  async checkpoint(): Promise<Json> {
    const text = await this.#options.checkpoint();
    if (text !== null) return parse(text);
    throw new Refusal("not_found", {
      message: "Nothing has been recorded yet, so there is nothing to sign.",
      next: "Make a call first: bailiwick call <provider__tool>",
    });
  }

  #view(reader: Principal, correlationId: string): Promise<CorrelationView> {
    return viewCorrelation(reader, () => this.#options.reader.byCorrelation(correlationId));
  }

  async #named(reader: Principal, id: string): Promise<string | null> {
    const isIt = (event: Json): boolean => event["event_id"] === id && maySee(reader, event);
    const wanted = { needle: `"event_id": ${stableString(id)}`, isIt, before: this.last() + 1 };
    const { line, from } = await findBack(this.#options.reader, wanted);
    if (line === null && from > 1) throw notLately(id);
    return line;
  }
}

/** A request does not read more than that. */
function* atMost(lines: Iterable<string>, correlationId: string): Iterable<string> {
  let count = 0;
  for (const line of lines) {
    if (count++ === MAX_LOOKED_AT) throw tooLong(correlationId);
    yield line;
  }
}

const tooLong = (correlationId: string): Refusal =>
  new Refusal("too_large", {
    message: `More than ${MAX_LOOKED_AT} events of this correlation would have to be read for this.`,
    next: `Read it on the host: bailiwick evidence trace ${correlationId}. Whoever has the permission evidence:read can go on from a later sequence.`,
  });

const notLately = (id: string): Refusal =>
  new Refusal("not_found", {
    message: `There is no such event among the newest ${MAX_LOOKED_AT}.`,
    next: `Ask for it by its sequence, or on the host: bailiwick evidence show ${id.slice(0, 128)}`,
  });

export const createArchive = (options: ArchiveOptions): Archive => new StoredArchive(options);
