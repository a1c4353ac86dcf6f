/** What a call may say to its caller before it is answered. Each wire writes it in its own way. */
export interface NoticeSink {
  /** False: its caller takes nothing but the answer. */
  readonly takesNotices: boolean;
  /** A progress notice; a later one under the same token replaces it while the reader is slow. */
  progress(token: string, text: string): void;
  log(text: string): void;
  /** A question to the caller. False: it cannot be asked here. */
  ask(text: string): boolean;
}
