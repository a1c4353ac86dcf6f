/** Work on one thing, one after another; work on different things overlaps. */
export class Turns {
  readonly #last = new Map<string, Promise<unknown>>();

  run<T>(key: string, work: () => Promise<T>): Promise<T> {
    const turn = (this.#last.get(key) ?? Promise.resolve()).then(work, work);
    const done: Promise<void> = turn.then(
      () => this.#leave(key, done),
      () => this.#leave(key, done),
    );
    this.#last.set(key, done);
    return turn;
  }

  #leave(key: string, done: Promise<unknown>): void {
    if (this.#last.get(key) === done) this.#last.delete(key);
  }
}
