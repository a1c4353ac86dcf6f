/** Numbers of JSON that would not be written as they were read: they are carried along as their text. */
interface RawJson {
  rawJSON(text: string): object;
  isRawJSON(value: unknown): boolean;
}

/** The runtime has them; the language's types do not yet. */
const raw = JSON as unknown as RawJson;

export const isKeptNumber = (value: unknown): boolean => raw.isRawJSON(value);

/** For `JSON.parse`, which tells it how a number is written. */
export const keepNumber = (_key: string, value: unknown, { source }: { readonly source?: string } = {}): unknown =>
  typeof value === "number" && source !== undefined && String(value) !== source ? raw.rawJSON(source) : value;
