/** One segment of a URI, percent-decoded once. Null: it is no name (bad escape, bad UTF-8, a separator or a control character). */
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const NOT_IN_A_NAME = /[/\\\u0000-\u001f\u007f-\u009f]/u;

export const decodeName = (segment: string): string | null => {
  try {
    const name = decodeURIComponent(segment);
    return NOT_IN_A_NAME.test(name) ? null : name;
  } catch {
    return null;
  }
};
