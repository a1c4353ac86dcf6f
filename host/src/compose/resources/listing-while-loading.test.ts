import { expect, it } from "vitest";
import type { ComposeTool } from "../tools/compose-tool.ts";
import type { GeneratorsSeen } from "../workbench.ts";
import { ask, openPlace, type Place } from "./provider-for-tests.ts";

const toolOf = (run: () => Promise<void>): ComposeTool => ({
  name: "write",
  title: "Write",
  category: "content",
  description: "Writes a text.",
  inputSchema: { type: "object" },
  outputSchema: { type: "object" },
  annotations: {},
  guide: { examples: [], common_errors: [], typical_ms: [1, 2] } as unknown as ComposeTool["guide"],
  timeoutMs: 5_000,
  run: async () => {
    await run();
    return {};
  },
});

it("a call is answered, and what it made is listed, while plug-ins are still being loaded", async () => {
  const [begun, loading] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { parts, store } = openPlace();
  let isLoading = false;
  const look = async (): Promise<GeneratorsSeen> => {
    if (isLoading) begun.resolve();
    if (isLoading) await loading.promise;
    return parts.generators.look();
  };
  const tool = toolOf(async () => {
    await store("intro", "one");
    provider.changed("content://intro");
    provider.changed("generator://mine");
  });
  const generators = { look, seen: () => parts.generators.seen() };
  const { provider }: Place = openPlace({ tools: [tool], parts: { ...parts, generators } });
  await provider.whenListed();
  isLoading = true;
  provider.changed("generator://mine");
  await begun.promise;
  expect(await ask(provider, "write", { method: "tools/call" })).toMatchObject({ isError: false });
  expect(provider.more.has("content://intro")).toBe(true);
  const order: string[] = [];
  const listed = provider.whenListed().then(() => order.push("listed"));
  order.push("loaded");
  loading.resolve();
  await listed;
  expect(order).toEqual(["loaded", "listed"]);
});
