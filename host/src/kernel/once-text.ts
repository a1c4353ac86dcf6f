/**
 * What the event that opens a call made once says of it, and what a repeat hears if the host died before the end: the log
 * itself says the second with the event by which it ends such a call.
 */
export interface OnceText {
  /** Where the answer is kept. */
  readonly key: string;
  /** Of what was called, as only this host can make it. */
  readonly hash: string;
}

/** Of the texts that are kept of answers. */
export const REPLY_VERSION = 3;

const FORM = /^([0-9a-f]{32})\.([\w-]{22})$/;

export const writeOnce = ({ key, hash }: OnceText): string => `${key}.${hash}`;

/** Null for everything else. */
export const readOnce = (text: unknown): OnceText | null => {
  const [, key, hash] = (typeof text === "string" ? FORM.exec(text) : null) ?? [];
  return key === undefined || hash === undefined ? null : { key, hash };
};

/** As an answer that is kept: that nobody knows how it ended. Everything else of the call is in the log. */
export const unknownReply = (hash: string, tool: string, capabilityId: string): string =>
  JSON.stringify([REPLY_VERSION, hash, capabilityId, ...(tool === capabilityId ? [] : [tool])]);
