/** Who wants to hear of which document. One that is told may begin or end a watch meanwhile. */
export class Watchers {
  readonly #watches = new Map<string, Set<{ readonly updated: () => void }>>();

  /** Until the returned function is called. */
  add(uri: string, updated: () => void): () => void {
    const watch = { updated };
    const watches = this.#watches.get(uri) ?? new Set();
    this.#watches.set(uri, watches.add(watch));
    return () => {
      watches.delete(watch);
      if (watches.size === 0 && this.#watches.get(uri) === watches) this.#watches.delete(uri);
    };
  }

  tell(uri: string): void {
    for (const { updated } of new Set(this.#watches.get(uri))) updated();
  }
}
