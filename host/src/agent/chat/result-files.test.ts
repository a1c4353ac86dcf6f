import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import type { Principal } from "../../kernel/principal.ts";
import type { CallsOfRun } from "./agent-call.ts";
import type { KeptResult } from "./agent-ports.ts";
import { createResultFiles } from "./result-files.ts";

const MIB = 1 << 20;
const calls = { run: { runId: "run_1" }, correlationId: "run_0", causationId: "inv_0" } as CallsOfRun;
const by = { id: "agent:bailiwick" } as Principal;
const whole = (text: string) => ({ tool: "a__b", filename: "a__b-result.txt", text });

test("long results become files one after the other, and none that there is no room for", async () => {
  const open: (() => void)[] = [];
  const kept: KeptResult[] = [];
  const keep = createResultFiles({
    by,
    calls,
    here: {
      keepFile: async (file) => {
        kept.push(file);
        await new Promise<void>((resolve) => open.push(resolve));
        return `files://${kept.length}`;
      },
    },
  });
  const large = "x".repeat(30 * MIB);
  const [first, second] = [keep(whole(large), "inv_1"), keep(whole(large), null)];
  await expect(keep(whole(large), null)).rejects.toMatchObject({ kind: "quota_exceeded" });
  await turn();
  expect(kept).toMatchObject([
    { by, invocationId: "inv_1", runId: "run_1", correlationId: "run_0", causationId: "inv_0" },
  ]);
  open[0]?.();
  expect(await first).toBe("files://1");
  const third = keep(whole(large), null);
  await turn();
  open[1]?.();
  expect(await second).toBe("files://2");
  await turn();
  open[2]?.();
  expect(await third).toBe("files://3");
});
