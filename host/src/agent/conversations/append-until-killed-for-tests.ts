/** Appends to the conversation that it is given until it is ended, lines of all sizes, and tells the number of each that is there to stay. */
import { openConversations } from "./open-conversations.ts";

const [, , dir = "", id = ""] = process.argv;
const conversation = await openConversations({ dir, now: Date.now }).open(id);

const appendOne = async (): Promise<void> => {
  const number = conversation.messages.length;
  const content = `${number} `.padEnd(2 + ((number * 7919) % 300_000), "x");
  await conversation.append({ role: "assistant", content, ts: new Date().toISOString(), outputTokens: 1 }, 1);
  process.stdout.write(`${number}\n`);
};

for (let round = 0; round < 5_000; round++) await appendOne();
