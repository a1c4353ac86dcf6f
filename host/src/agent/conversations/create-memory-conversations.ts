/** Conversations that are gone with the process: the same rules as on disk, and no file. */
import type {
  Authors,
  Conversation,
  ConversationHead,
  ConversationQuery,
  Conversations,
  ConversationSummary,
  StoredMessage,
} from "../../kernel/conversation.ts";
import { HostError } from "../../kernel/host-error.ts";
import { checkRoom } from "./check-room.ts";
import { checkConversationId, makeConversationId } from "./conversation-id.ts";
import { unknownConversation } from "./conversation-refusals.ts";
import { forkLength } from "./fork-length.ts";
import { givenTitle } from "./given-title.ts";
import { decodeMessage, encodeMessage, type Entry } from "./message-line.ts";
import { pickPage, type ConversationPage } from "./pick-page.ts";
import { searchConversations, type Texts } from "./search-conversations.ts";
import { addToSummary, beginSummary, shownOf, type Tally } from "./summarise.ts";

export const createMemoryConversations = (): Conversations => new MemoryConversations();

class MemoryConversations implements Conversations {
  readonly #all = new Map<string, MemoryConversation>();
  #isClosed = false;

  async create(): Promise<ConversationHead> {
    this.#check();
    return this.#add(new MemoryConversation(newHead())).head;
  }

  async open(id: string): Promise<Conversation> {
    return this.#find(id);
  }

  async list(query: ConversationQuery, sees: (authors: Authors) => boolean = () => true): Promise<ConversationPage> {
    this.#check();
    const rows = Array.from(this.#all.values(), ({ tally }) => tally).filter(({ authors }) => sees(authors));
    const visit: Texts["visit"] = (id, take) => this.#visit(id, take);
    return pickPage(await searchConversations(rows, query.search, { visit }), query);
  }

  async fork(id: string, atMessage: number | null, by?: string): Promise<ConversationSummary> {
    const entries = this.#find(id).entries.slice(0, forkLength(atMessage));
    const head = { ...newHead(), forkedFrom: { id, atMessage: entries.length }, ...(by !== undefined && { by }) };
    return this.#add(new MemoryConversation(head, entries)).summary();
  }

  async rename(id: string, title: string): Promise<ConversationSummary> {
    return this.#find(id).rename(givenTitle(title));
  }

  async delete(id: string): Promise<void> {
    this.#find(id).isGone = true;
    this.#all.delete(id);
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    for (const conversation of this.#all.values()) conversation.isClosed = true;
  }

  /** It is in memory already: looking at it is not counted. */
  async #visit(id: string, take: (content: string) => void): Promise<number> {
    for (const { content } of this.#all.get(id)?.messages ?? []) take(content);
    return 0;
  }

  #add(conversation: MemoryConversation): MemoryConversation {
    this.#all.set(conversation.head.id, conversation);
    return conversation;
  }

  #find(id: string): MemoryConversation {
    this.#check();
    checkConversationId(id);
    const conversation = this.#all.get(id);
    if (conversation === undefined) throw unknownConversation(id);
    return conversation;
  }

  #check(): void {
    if (this.#isClosed) throw new HostError("the conversations in memory are closed");
  }
}

class MemoryConversation implements Conversation {
  readonly head: ConversationHead;
  readonly messages: StoredMessage[] = [];
  readonly defect = null;
  readonly entries: Entry[] = [];
  isGone = false;
  isClosed = false;
  tally: Tally;
  #bytes = 0;

  constructor(head: ConversationHead, entries: readonly Entry[] = []) {
    this.head = head;
    this.tally = beginSummary(head, null);
    for (const entry of entries) {
      this.#bytes += Buffer.byteLength(encodeMessage(entry.message, entry.costUsd));
      this.#take(entry);
    }
  }

  async append(message: StoredMessage, costUsd: number | null = null): Promise<void> {
    const { id } = this.head;
    if (this.isClosed) throw new HostError(`the conversation ${id} is closed`);
    const line = encodeMessage(message, costUsd);
    if (this.isGone) throw unknownConversation(id);
    const lineBytes = Buffer.byteLength(line);
    checkRoom({ id, logBytes: this.#bytes, lineBytes, role: message.role });
    const entry = decodeMessage(line, null);
    if (entry === null) throw new HostError("a stored message cannot be read again");
    this.#bytes += lineBytes;
    this.#take(entry);
  }

  rename(title: string): ConversationSummary {
    this.tally = { ...this.tally, title };
    return this.summary();
  }

  summary(): ConversationSummary {
    return shownOf(this.tally);
  }

  authors(): Authors {
    return this.tally.authors;
  }

  #take(entry: Entry): void {
    this.entries.push(entry);
    this.messages.push(entry.message);
    this.tally = addToSummary(this.tally, entry, this.head);
  }
}

const newHead = (): ConversationHead => ({ id: makeConversationId(), createdAt: new Date().toISOString() });
