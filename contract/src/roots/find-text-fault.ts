/** Why a text cannot be a path on any platform, or null. */
const LONGEST = 4096;
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const CONTROL = /[\u0000-\u001f\u007f-\u009f]/u;

export const findTextFault = (text: string): string | null => {
  if (text === "") return "path must not be empty";
  if (text.length > LONGEST) return `path is longer than ${LONGEST} characters; shorten it`;
  if (CONTROL.test(text)) return "path has a control character; leave it out";
  return text.isWellFormed() ? null : "path has half of a surrogate pair, which is no character; leave it out";
};
