/** Appends a small message, one that is larger than files may become here, and a small one again; tells how each ended. */
import { Refusal } from "../../kernel/refusal.ts";
import { openConversations } from "./open-conversations.ts";

const [, , dir = "", id = ""] = process.argv;
const conversation = await openConversations({ dir, now: Date.now }).open(id);

for (const length of [100, 1_000_000, 200]) {
  try {
    await conversation.append({ role: "user", content: "x".repeat(length), ts: new Date().toISOString() });
    process.stdout.write("stored ");
  } catch (no) {
    process.stdout.write(`${no instanceof Refusal ? no.kind : String(no)} `);
  }
}
