import { describe, expect, it } from "vitest";
import type { Valid } from "../../kernel/stages.ts";
import { approval } from "./approval.ts";

const call = (provider: string, tool: string | null): Valid =>
  ({
    target: {
      provider: { name: provider },
      flatName: `${provider}__${tool}`,
      tool: tool === null ? null : { name: tool },
    },
  }) as unknown as Valid;

describe("a call of a shell", () => {
  it("is refused: a person must approve the exact command, and nobody can be asked yet", async () => {
    await expect(approval(call("bash", "exec"))).rejects.toMatchObject({
      kind: "escalation_required",
      message: "bash__exec needs a person's approval of each exact command, and approvals are not available yet.",
      next: expect.stringContaining("yourself"),
      retryable: false,
      details: { capability_id: "bash__exec" },
    });
  });

  it.each(["anything", ""])("is refused whatever its tool is called: %j", async (tool) => {
    await expect(approval(call("bash", tool))).rejects.toMatchObject({ kind: "escalation_required" });
  });
});

it.each([
  ["bashful", "exec"],
  ["files", "bash__exec"],
  ["bash", null],
])("what is no tool of it needs none: %s %s", async (provider, tool) => {
  expect(await approval(call(provider, tool))).toMatchObject({ approval: null });
});
