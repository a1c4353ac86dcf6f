/** What may be used once and was, until its time is over anyway. Of too many the oldest are forgotten. */
const MAX_KEPT = 10_000;

export class UsedNonces {
  readonly #used = new Map<string, number>();

  /** False: it was used before. */
  use(nonce: string, expires: number): boolean {
    if (this.#used.has(nonce)) return false;
    if (this.#used.size >= MAX_KEPT) this.#makeRoom();
    this.#used.set(nonce, expires);
    return true;
  }

  #makeRoom(): void {
    const now = Date.now();
    for (const [nonce, expires] of this.#used) if (expires <= now) this.#used.delete(nonce);
    const [oldest] = this.#used.keys();
    if (this.#used.size >= MAX_KEPT && oldest !== undefined) this.#used.delete(oldest);
  }
}
