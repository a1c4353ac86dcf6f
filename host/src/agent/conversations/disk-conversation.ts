/** One conversation that is open: its messages in memory, its log on disk. What is done to it is done one after the other. */
import type {
  Authors,
  Conversation,
  ConversationHead,
  ConversationSummary,
  StoredMessage,
} from "../../kernel/conversation.ts";
import { HostError } from "../../kernel/host-error.ts";
import { checkRoom } from "./check-room.ts";
import { changedMeanwhile, unknownConversation } from "./conversation-refusals.ts";
import { appendLine, withLog } from "./log-file.ts";
import { decodeMessage, encodeMessage } from "./message-line.ts";
import type { Meta } from "./meta-line.ts";
import { addToSummary, shownOf, type Tally } from "./summarise.ts";

export interface DiskConversationOptions extends Meta {
  readonly path: string;
  readonly head: ConversationHead;
  readonly messages: StoredMessage[];
  readonly defect: string | null;
  readonly changed: (meta: Meta) => void;
  /** It cannot be used any more; who opens it again gets another. */
  readonly lost: () => void;
}

export class DiskConversation implements Conversation {
  readonly head: ConversationHead;
  readonly messages: StoredMessage[];
  readonly defect: string | null;
  readonly #path: string;
  readonly #changed: (meta: Meta) => void;
  readonly #lost: () => void;
  #summary: Tally;
  #logBytes: number;
  #isNamed: boolean;
  #isClosed = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: DiskConversationOptions) {
    this.head = options.head;
    this.messages = options.messages;
    this.defect = options.defect;
    this.#path = options.path;
    this.#changed = options.changed;
    this.#lost = options.lost;
    this.#summary = options.summary;
    this.#logBytes = options.logBytes;
    this.#isNamed = options.isNamed;
  }

  summary(): ConversationSummary {
    return shownOf(this.#summary);
  }

  authors(): Authors {
    return this.#summary.authors;
  }

  async append(message: StoredMessage, costUsd: number | null = null): Promise<void> {
    if (this.#isClosed) throw new HostError(`the conversation ${this.head.id} is closed`);
    const line = Buffer.from(encodeMessage(message, costUsd));
    await this.inTurn(() => this.#write(line, message.role));
  }

  async rename(title: string, keep: (meta: Meta) => Promise<void>): Promise<ConversationSummary> {
    return this.inTurn(async () => {
      const summary = { ...this.#summary, title };
      await keep({ summary, logBytes: this.#logBytes, isNamed: true });
      this.#summary = summary;
      this.#isNamed = true;
      return shownOf(summary);
    });
  }

  inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }

  /** What was begun is ended first. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#last;
  }

  async #write(line: Buffer, role: StoredMessage["role"]): Promise<void> {
    checkRoom({ id: this.head.id, logBytes: this.#logBytes, lineBytes: line.length, role });
    const isThere = await withLog(this.#path, "append", async (file, size) => {
      if (size !== this.#logBytes) {
        this.#lost();
        throw changedMeanwhile(this.#path);
      }
      await appendLine(file, line, size);
      return true;
    });
    if (isThere === null) {
      this.#lost();
      throw unknownConversation(this.head.id);
    }
    this.#logBytes += line.length;
    this.#take(line.toString());
  }

  /** As it will be read again, and nobody else's object. */
  #take(line: string): void {
    const entry = decodeMessage(line, null);
    if (entry === null) return;
    this.messages.push(entry.message);
    this.#summary = addToSummary(this.#summary, entry, this.head);
    this.#changed({ summary: this.#summary, logBytes: this.#logBytes, isNamed: this.#isNamed });
  }
}
