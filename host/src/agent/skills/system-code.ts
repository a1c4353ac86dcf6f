/** The reason in what the file system threw, such as `EACCES`. Anything else is a bug, and thrown on. */
export const systemCode = (error: unknown): string => {
  const { code } = error as { code?: unknown };
  if (error instanceof Error && typeof code === "string") return code;
  throw error;
};
