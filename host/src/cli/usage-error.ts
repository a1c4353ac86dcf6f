/** The command line or the configuration cannot be used as given: shown without a stack, exit code 2. */
export class UsageError extends Error {
  override readonly name = "UsageError";
  /** Further lines, such as what to type instead. */
  readonly next: string | null;

  constructor(message: string, next: string | null = null) {
    super(message);
    this.next = next;
  }
}
