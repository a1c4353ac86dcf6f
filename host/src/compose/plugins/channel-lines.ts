/** What comes over a channel, line by line. One line may be so long and no longer, whoever writes it. */
const NEWLINE = 10;

export interface ChannelLinesOptions {
  readonly maxBytes: number;
  readonly onLine: (line: string) => void;
  /** Nothing is read after it. */
  readonly onTooLong: () => void;
}

export class ChannelLines {
  readonly #options: ChannelLinesOptions;
  #pieces: Buffer[] = [];
  #size = 0;
  #over = false;

  constructor(options: ChannelLinesOptions) {
    this.#options = options;
  }

  push(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end !== -1 && !this.#over; end = chunk.indexOf(NEWLINE, start)) {
      this.#keep(chunk.subarray(start, end));
      start = end + 1;
      if (!this.#over) this.#options.onLine(this.#take());
    }
    this.#keep(chunk.subarray(start));
  }

  #keep(piece: Buffer): void {
    if (this.#over || piece.length === 0) return;
    this.#size += piece.length;
    this.#pieces.push(piece);
    if (this.#size <= this.#options.maxBytes) return;
    this.#over = true;
    this.#pieces = [];
    this.#options.onTooLong();
  }

  #take(): string {
    const line = Buffer.concat(this.#pieces, this.#size).toString();
    this.#pieces = [];
    this.#size = 0;
    return line;
  }
}
