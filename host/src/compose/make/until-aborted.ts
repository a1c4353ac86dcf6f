/** Work that is waited for no longer than its signal lets it: what does not heed the signal is left behind. */
export const untilAborted = async <T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> => {
  signal.throwIfAborted();
  const { promise: over, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason as Error);
  // Before the work begins, so that the signal's reason is told and not what the work makes of it.
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work(), over]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
};
