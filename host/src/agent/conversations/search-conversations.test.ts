import { expect, it } from "vitest";
import { searchConversations } from "./search-conversations.ts";
import { beginSummary } from "./summarise.ts";

const LENGTH = 100;
const row = (n: number) => ({
  ...beginSummary({ id: `conv_00000${n}`, createdAt: `2026-01-0${n}T00:00:00.000Z` }, n === 1 ? "Needles" : "Hay"),
});

it("reads the latest first and no more than it may, and says of how many the texts were not searched", async () => {
  const read: string[] = [];
  const found = await searchConversations([1, 2, 3, 4].map(row), "needle", {
    mostBytes: 2 * LENGTH,
    visit: async (id, take, most) => {
      if (most < LENGTH) return null;
      read.push(id);
      if (id.endsWith("3")) take("A NEEDLE in it.");
      return LENGTH;
    },
  });
  expect(read).toEqual(["conv_000004", "conv_000003"]);
  expect(found.rows.map(({ id }) => id)).toEqual(["conv_000003", "conv_000001"]);
  expect(found.unsearched).toBe(1);
});
