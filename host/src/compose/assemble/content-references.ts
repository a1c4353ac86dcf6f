/** Which saved artifacts have a content among their children, by id; those that break their schema too. Pure. */
import type { SavedConfig } from "../storage/saved-configs.ts";

type Members = Readonly<Record<string, unknown>>;

const membersOf = (value: unknown): Members => (typeof value === "object" && value !== null ? (value as Members) : {});

const hasChild = (data: unknown, contentId: string): boolean => {
  const { children } = membersOf(membersOf(data)["content"]);
  return Array.isArray(children) && children.some((child) => membersOf(child)["id"] === contentId);
};

export const contentReferences = (
  contentId: string,
  artifacts: readonly Pick<SavedConfig, "id" | "data">[],
): readonly string[] =>
  artifacts
    .filter(({ data }) => hasChild(data, contentId))
    .map(({ id }) => id)
    .toSorted();
