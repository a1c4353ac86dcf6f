/** What the two methods answer, and the check that an answer is one. */
import { HostResourceError } from "./host-resource-error.ts";
import { isRecord } from "./is-record.ts";

/** Either `text`, or `blob` in base64. */
export interface HostResourceContents {
  readonly uri: string;
  readonly mimeType?: string;
  readonly text?: string;
  readonly blob?: string;
}

export interface ReadResult {
  readonly contents: readonly HostResourceContents[];
}

export interface HostResource {
  readonly uri: string;
  readonly name: string;
  readonly mimeType?: string;
  readonly size?: number;
}

export interface ListResult {
  readonly resources: readonly HostResource[];
}

export const readAnswer = <Result extends ReadResult | ListResult>(
  answer: unknown,
  member: keyof Result & string,
): Result => {
  const items = isRecord(answer) ? answer[member] : null;
  if (Array.isArray(items) && items.every((item) => isRecord(item) && typeof item["uri"] === "string")) {
    return answer as Result;
  }
  throw new HostResourceError({ code: -32603, message: `The host's answer has no usable "${member}".` });
};
