// What every script of this package does: reads its call from stdin, and says how it went as one JSON value on stdout.
import { text } from "node:stream/consumers";

export const answer = async (act) => {
  const { arguments: args } = JSON.parse(await text(process.stdin));
  try {
    process.stdout.write(JSON.stringify(await act(args)));
  } catch (error) {
    process.stdout.write(JSON.stringify({ success: false, message: explain(error) }));
  }
};

const explain = (error) => {
  if (error.code === "ENOENT") return "There is no such file.";
  if (error.code === "EISDIR") return "That is a folder; name a file in it.";
  return error.message;
};
