/**
 * Checks of plain JSON values that report everything they find instead of stopping at the first. Used for manifests, which
 * are read at each start: building schema objects would cost more than the check. It converts nothing and keeps no value.
 */
export interface ShapeFinding {
  /** JSON pointer. */
  readonly pointer: string;
  readonly message: string;
  readonly kind: "missing" | "unknown" | "wrong";
}

export interface ShapeFindings {
  push(finding: ShapeFinding): void;
}

export type Shape = (value: unknown, pointer: string, found: ShapeFindings) => void;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** A value as a message shows it: short, and never a whole document. */
export const shown = (value: unknown): string => {
  const text = JSON.stringify(value) ?? "nothing";
  return text.length > 60 ? `${text.slice(0, 57)}...` : text;
};

const MAX_KEY_SHOWN = 100;

export const childPointer = (pointer: string, key: string): string => {
  const shortened = key.length > MAX_KEY_SHOWN ? `${key.slice(0, MAX_KEY_SHOWN)}...` : key;
  return `${pointer}/${shortened.replaceAll("~", "~0").replaceAll("/", "~1")}`;
};

const wrong = (pointer: string, expected: string, value: unknown): ShapeFinding => ({
  pointer,
  message: `must be ${expected} (found ${shown(value)})`,
  kind: "wrong",
});

const guard =
  (expected: string, accepts: (value: unknown) => boolean): Shape =>
  (value, pointer, found) => {
    if (!accepts(value)) found.push(wrong(pointer, expected, value));
  };

export const text = guard("a string", (value) => typeof value === "string");
export const name = guard("a non-empty string", (value) => typeof value === "string" && value.trim() !== "");
export const flag = guard("true or false", (value) => typeof value === "boolean");
export const number = guard("a number", (value) => typeof value === "number");
export const url = guard("a URL", (value) => typeof value === "string" && URL.canParse(value));
export const anyObject = guard("an object", isObject);

export const oneOf = (...allowed: readonly string[]): Shape =>
  guard(
    `one of ${allowed.map((each) => `"${each}"`).join(", ")}`,
    (value) => typeof value === "string" && allowed.includes(value),
  );

export const scalarOrTexts = guard(
  "a string, a number, true, false or an array of strings",
  (value) =>
    ["string", "number", "boolean"].includes(typeof value) ||
    (Array.isArray(value) && value.every((each) => typeof each === "string")),
);

export const listOf =
  (item: Shape): Shape =>
  (value, pointer, found) => {
    if (!Array.isArray(value)) found.push(wrong(pointer, "an array", value));
    else value.forEach((each, index) => item(each, `${pointer}/${index}`, found));
  };

export const mapOf =
  (item: Shape): Shape =>
  (value, pointer, found) => {
    if (!isObject(value)) found.push(wrong(pointer, "an object", value));
    else for (const [key, each] of Object.entries(value)) item(each, childPointer(pointer, key), found);
  };

/** An object with these members and no others. A key that ends in `?` may be absent. */
export const objectOf = (members: Readonly<Record<string, Shape>>): Shape => {
  const known = new Map<string, { readonly shape: Shape; readonly required: boolean }>();
  for (const [key, shape] of Object.entries(members)) {
    const required = !key.endsWith("?");
    known.set(required ? key : key.slice(0, -1), { shape, required });
  }
  return (value, pointer, found) => {
    if (!isObject(value)) {
      found.push(wrong(pointer, "an object", value));
      return;
    }
    for (const [key, member] of known) {
      if (value[key] !== undefined) member.shape(value[key], childPointer(pointer, key), found);
      else if (member.required) {
        found.push({ pointer: childPointer(pointer, key), message: "is missing", kind: "missing" });
      }
    }
    for (const key of Object.keys(value)) {
      if (!known.has(key)) {
        found.push({ pointer: childPointer(pointer, key), message: "unknown key", kind: "unknown" });
      }
    }
  };
};
