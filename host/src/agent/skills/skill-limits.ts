/** How much of a skill is taken, so that no file can cost much. */
export const SKILL_LIMITS = Object.freeze({
  fileBytes: 262_144,
  bodyChars: 32_000,
  /** Triggers of one skill, keywords, globs and bundles. */
  listItems: 200,
  /** About one file; the rest is left out. */
  warnings: 20,
  /** Entries of one directory that are looked at. */
  entries: 5_000,
  /** Of all directories together. */
  skills: 500,
});
