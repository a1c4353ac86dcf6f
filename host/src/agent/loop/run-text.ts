/**
 * The text of a run, told piece by piece as the model writes it. What is told, joined, is the text of the run at every moment.
 */
const BLANK_LINE = "\n\n";

export class RunText {
  readonly #tell: (delta: string) => void;
  #whole = "";
  #current = "";
  #joint = BLANK_LINE;

  constructor(tell: (delta: string) => void) {
    this.#tell = tell;
  }

  /** `continues`: a sentence may have been cut in the middle, so that nothing may stand between it and what follows. */
  begin(continues: boolean): void {
    this.#current = "";
    this.#joint = continues ? "" : BLANK_LINE;
  }

  /** The joint goes out with the first text behind it, never after the last. */
  add(delta: string): void {
    if (delta === "") return;
    if (this.#current === "" && this.#whole !== "" && this.#joint !== "") this.#write(this.#joint);
    this.#current += delta;
    this.#write(delta);
  }

  /** Of the iteration that goes on. */
  get current(): string {
    return this.#current;
  }

  get whole(): string {
    return this.#whole;
  }

  #write(delta: string): void {
    this.#whole += delta;
    this.#tell(delta);
  }
}
