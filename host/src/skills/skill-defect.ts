/** Why a folder is not served as a skill: one sentence for people, which names the file and what to do about it. */
export class SkillDefect extends Error {
  override readonly name = "SkillDefect";
}

/** The reason in what a file system threw; null: it is a bug of ours. */
export const systemReason = (error: unknown): string | null => {
  const { code } = error as { code?: unknown };
  return error instanceof Error && typeof code === "string" ? code : null;
};
