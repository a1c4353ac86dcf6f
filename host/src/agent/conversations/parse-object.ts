/** A line of JSON as an object; null for everything that is none. */
import { isObject } from "../../kernel/is-object.ts";

export const parseObject = (text: string): Readonly<Record<string, unknown>> | null => {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
};
