/** A name, a label or a time zone as one line of a prompt: it can start no section and takes little room. Pure. */
const MOST = 128;
const BREAKS = /[\s\u0085\p{Zl}\p{Zp}]+/gu;
const UNSEEN = /[\p{Cc}\p{Cf}]/gu;

export const oneLine = (text: string, most = MOST): string => {
  // Much more than this would be cut in any case.
  const near = text.slice(0, most * 8).toWellFormed();
  return cutText(near.replaceAll(BREAKS, " ").replaceAll(UNSEEN, "").trim(), most).trimEnd();
};

/** Never in the middle of a character. */
export const cutText = (text: string, most: number): string => {
  if (text.length <= most) return text;
  const last = text.codePointAt(most - 1) ?? 0;
  return text.slice(0, last > 0xffff ? most - 1 : most);
};
