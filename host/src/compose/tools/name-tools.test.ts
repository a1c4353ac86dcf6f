import { expect, test } from "vitest";
import { nameTools } from "./name-tools.ts";

const named = nameTools(["generate_content", "list_content"]);
const failed = {
  success: false,
  error: {
    code: "content_missing",
    message: "Call generate_content first.",
    details: {
      next: 'generate_content {"content_config_id":"list_content-x"}',
      suggestion: ["generate_content {}", "list_content {}"],
      content_id: "generate_content",
    },
  },
};

test("calls are named as the endpoint of all names them, and data stays as it is", () => {
  expect(named(failed, null)).toEqual({
    success: false,
    error: {
      code: "content_missing",
      message: "Call compose__generate_content first.",
      details: {
        next: 'compose__generate_content {"content_config_id":"list_content-x"}',
        suggestion: ["compose__generate_content {}", "compose__list_content {}"],
        content_id: "generate_content",
      },
    },
  });
});

test("on its own endpoint, and named so already, they are as they were", () => {
  expect(named(failed, "compose")).toBe(failed);
  const again = named(failed, null);
  expect(named(again, null)).toEqual(again);
});
