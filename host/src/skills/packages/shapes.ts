/** What a value of a package's files is. */
export const isMapping = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isTextList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

/** A list of texts, or one text with commas; null: neither. */
export const readTexts = (value: unknown): readonly string[] | null => {
  if (isTextList(value)) return value;
  if (typeof value !== "string") return null;
  return value
    .split(",")
    .map((each) => each.trim())
    .filter((each) => each !== "");
};
