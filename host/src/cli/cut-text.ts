/** At most `width` characters; what was cut off is shown by an ellipsis. */
export const cutText = (text: string, width: number): string => {
  if (text.length <= width) return text;
  const signs = Array.from(text);
  return signs.length <= width ? text : `${signs.slice(0, Math.max(0, width - 1)).join("")}…`;
};
