/** The version after this one: its last number is one more. What is no version counts as none. Pure. */
const VERSION = /^(\d{1,9})(?:\.(\d{1,9}))?(?:\.(\d{1,9}))?(?![\d.])/;

export const bumpVersion = (version: string): string => {
  const [, major = "0", minor = "0", patch = "0"] = VERSION.exec(version) ?? [];
  return `${Number(major)}.${Number(minor)}.${Number(patch) + 1}`;
};
