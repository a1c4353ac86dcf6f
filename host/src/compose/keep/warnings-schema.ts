/** The schema of what is told about a config that is valid. */
import { described } from "./described.ts";

export const WARNINGS = described.list(
  described.record(
    {
      code: described.word(["unknown_key", "unsupported_field"], "What kind of warning it is"),
      pointer: described.text("JSON pointer to what it is about"),
      message: described.text("The warning for people"),
    },
    "One of them",
  ),
  "What the config says that changes nothing here",
);
