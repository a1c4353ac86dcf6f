/** Whether a name is one of a file in a folder or the folders in it: nothing that leads elsewhere on any platform. */
const LONGEST = 1_000;
// oxlint-disable-next-line no-control-regex -- they are what is looked for
const UNFIT = /[\\:\u0000-\u001f\u007f]/u;

export const isPlainName = (name: string): boolean =>
  name.length <= LONGEST &&
  name.isWellFormed() &&
  !UNFIT.test(name) &&
  name.split("/").every((part) => part !== "" && part !== "." && part !== "..");
