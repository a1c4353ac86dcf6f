/**
 * The conversations of one workspace in a folder: `<id>.jsonl`, to which lines are only ever added, and beside it
 * `<id>.meta.json`. One process at a time uses the folder. Who may see it is decided by whoever opens it.
 */
import { mkdir, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import type {
  Authors,
  Conversation,
  ConversationHead,
  ConversationQuery,
  Conversations,
  ConversationSummary,
} from "../../kernel/conversation.ts";
import { HostError } from "../../kernel/host-error.ts";
import { syncFolder } from "../../kernel/sync-folder.ts";
import { checkConversationId, makeConversationId } from "./conversation-id.ts";
import { notOnDisk, unknownConversation } from "./conversation-refusals.ts";
import { DiskConversation } from "./disk-conversation.ts";
import { forkLength } from "./fork-length.ts";
import { forkLog } from "./fork-log.ts";
import { givenTitle } from "./given-title.ts";
import { encodeHead } from "./head-line.ts";
import { loadLog } from "./load-log.ts";
import { withLog } from "./log-file.ts";
import { searchConversations, type Texts } from "./search-conversations.ts";
import { MetaFiles } from "./meta-files.ts";
import type { Meta } from "./meta-line.ts";
import { OpenOnes } from "./open-ones.ts";
import { pickPage, type ConversationPage } from "./pick-page.ts";
import { createFile } from "./private-files.ts";
import { beginSummary, shownOf } from "./summarise.ts";
import { SummaryIndex } from "./summary-index.ts";
import { visitTexts } from "./visit-texts.ts";

export interface ConversationsOptions {
  /** Made when the first conversation is. */
  readonly dir: string;
  readonly now: () => number;
}

export const openConversations = (options: ConversationsOptions): Conversations => new DiskConversations(options);

class DiskConversations implements Conversations {
  readonly #dir: string;
  readonly #now: () => number;
  readonly #metas: MetaFiles;
  readonly #index: SummaryIndex;
  readonly #open = new OpenOnes<DiskConversation>((id) => this.#load(id));
  #isClosed = false;

  constructor({ dir, now }: ConversationsOptions) {
    this.#dir = dir;
    this.#now = now;
    this.#metas = new MetaFiles(dir);
    this.#index = new SummaryIndex(dir, this.#metas);
  }

  async create(): Promise<ConversationHead> {
    this.#check();
    const head = this.#newHead();
    const line = encodeHead(head);
    await this.#make(head.id, async (file) => {
      await file.writeFile(line);
      return { summary: beginSummary(head, null), logBytes: Buffer.byteLength(line), isNamed: false };
    });
    return head;
  }

  async open(id: string): Promise<Conversation> {
    this.#check(id);
    return this.#open.get(id);
  }

  async list(query: ConversationQuery, sees: (authors: Authors) => boolean = () => true): Promise<ConversationPage> {
    this.#check();
    const rows = Array.from(await this.#index.all()).filter(({ authors }) => sees(authors));
    const visit: Texts["visit"] = (id, take, most) => visitTexts(this.#path(id), take, most);
    return pickPage(await searchConversations(rows, query.search, { visit }), query);
  }

  async fork(id: string, atMessage: number | null, by?: string): Promise<ConversationSummary> {
    this.#check(id);
    const fork = { ...this.#newHead(), ...(by !== undefined && { by }) };
    const path = this.#path(id);
    const most = forkLength(atMessage);
    const make = (fill: (file: FileHandle) => Promise<Meta>): Promise<Meta> => this.#make(fork.id, fill);
    const made = await this.#inTurn(id, () => forkLog({ id, path, most, fork, make }));
    if (made === null) throw unknownConversation(id);
    return shownOf(made.summary);
  }

  async rename(id: string, title: string): Promise<ConversationSummary> {
    this.#check(id);
    const given = givenTitle(title);
    const conversation = await this.#open.get(id);
    return conversation.rename(given, async (meta) => {
      await this.#metas.now(meta);
      this.#index.set(meta.summary);
    });
  }

  async delete(id: string): Promise<void> {
    this.#check(id);
    await this.#inTurn(id, () => this.#remove(id));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    const conversations = await this.#open.all();
    await Promise.all(conversations.map((conversation) => conversation.close()));
    await this.#metas.settled();
  }

  async #load(id: string): Promise<DiskConversation> {
    const path = this.#path(id);
    const log = await loadLog(path, id);
    if (log === null) throw unknownConversation(id);
    const { head, messages, defect, logBytes } = log;
    const meta = this.#metas.read(id);
    const isNamed = meta?.isNamed === true;
    const summary = isNamed ? { ...log.summary, title: meta.summary.title } : log.summary;
    if (meta?.logBytes === logBytes) this.#index.set(summary);
    else this.#changed({ summary, logBytes, isNamed });
    const changed = (now: Meta): void => this.#changed(now);
    const lost = (): void => this.#open.forget(id);
    return new DiskConversation({ path, head, messages, defect, summary, logBytes, isNamed, changed, lost });
  }

  async #remove(id: string): Promise<void> {
    const path = this.#path(id);
    const isThere = await withLog(path, "read", () => Promise.resolve(true));
    if (isThere === null) throw unknownConversation(id);
    try {
      // First what can be rebuilt: half a deletion must not leave a title without its conversation.
      await this.#metas.remove(id);
      await rm(path);
      this.#open.forget(id);
      this.#index.remove(id);
      await syncFolder(this.#dir);
    } catch (error) {
      throw notOnDisk(error, path);
    }
  }

  async #make(id: string, fill: (file: FileHandle) => Promise<Meta>): Promise<Meta> {
    const path = this.#path(id);
    try {
      await mkdir(this.#dir, { recursive: true, mode: 0o700 });
      const meta = await createFile(path, fill);
      this.#changed(meta);
      return meta;
    } catch (error) {
      throw notOnDisk(error, path);
    }
  }

  #changed(meta: Meta): void {
    this.#index.set(meta.summary);
    this.#metas.later(meta);
  }

  /** After what is under way in it, if it is open. */
  async #inTurn<T>(id: string, work: () => Promise<T>): Promise<T> {
    const conversation = await this.#open.current(id);
    return conversation === null ? work() : conversation.inTurn(work);
  }

  #check(id?: string): void {
    if (this.#isClosed) throw new HostError(`the conversations in ${this.#dir} are closed`);
    if (id !== undefined) checkConversationId(id);
  }

  #newHead(): ConversationHead {
    return { id: makeConversationId(), createdAt: new Date(this.#now()).toISOString() };
  }

  #path(id: string): string {
    return join(this.#dir, `${id}.jsonl`);
  }
}
