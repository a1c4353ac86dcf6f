import { expect, test } from "vitest";
import type { StoredMessage } from "../kernel/conversation.ts";
import { historyParts } from "./history-parts.ts";

const head = { id: "conv_abcdef", createdAt: "2026-11-16T10:00:00.000Z" };
const message = (content: string): StoredMessage => ({ role: "user", content, ts: head.createdAt });

const partsOf = async (messages: StoredMessage[], defect: string | null): Promise<readonly string[]> => {
  const parts: string[] = [];
  for await (const part of historyParts({ head, messages, defect })) {
    parts.push(part);
    messages.push(message("meanwhile"));
  }
  return parts;
};

test.each([0, 1, 2, 1_000])(
  "the parts of %s messages are one JSON text, and no part has many of them",
  async (count) => {
    const messages = Array.from({ length: count }, (_, n) => message(`${n} ${"x".repeat(1_000)}`));
    const parts = await partsOf([...messages], count === 2 ? "a line was cut off" : null);
    expect(JSON.parse(parts.join(""))).toEqual({
      conversationId: head.id,
      messages,
      ...(count === 2 && { defect: "a line was cut off" }),
    });
    expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(70_000);
  },
);
