/** What stands in a saved config, valid or not: a member that is absent or of another type is null, never an error. */
export type Members = Readonly<Record<string, unknown>>;

const NONE: Members = {};

export const membersOf = (value: unknown, name: string): Members => {
  const found = memberOf(value, name);
  return typeof found === "object" && found !== null && !Array.isArray(found) ? (found as Members) : NONE;
};

export const itemsOf = (value: unknown, name: string): readonly unknown[] => {
  const found = memberOf(value, name);
  return Array.isArray(found) ? (found as readonly unknown[]) : [];
};

export const textOf = (value: unknown, name: string): string | null => {
  const found = memberOf(value, name);
  return typeof found === "string" ? found : null;
};

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name) ? (value as Members)[name] : undefined;
