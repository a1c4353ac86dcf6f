/**
 * How much of a skill is taken. Files and bytes are what every client has to accept of one skill; the others keep a folder
 * that is no skill, or was made to hurt, from costing much.
 */
export const SKILL_LIMITS = Object.freeze({
  files: 512,
  bytes: 16_777_216,
  manifestBytes: 262_144,
  frontMatterChars: 16_384,
  depth: 16,
  /** Of all directories together. */
  skills: 500,
  /** Entries of one directory that are looked at. */
  entries: 5_000,
});
