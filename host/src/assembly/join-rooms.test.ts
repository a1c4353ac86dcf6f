import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it, onTestFinished } from "vitest";
import { joinRooms } from "./join-rooms.ts";
import { createHost } from "./open-host.ts";

it("a start that fails after the log was opened leaves the work directory to the next one", async () => {
  const workDir = mkdtempSync(join(tmpdir(), "bailiwick-join-"));
  onTestFinished(() => rmSync(workDir, { recursive: true, force: true }));
  const settings = { workDir, http: { port: 0 }, noDefaultBundles: true, bundles: [] };
  const first = await createHost(settings);
  const { config } = first;
  await first.stop();
  const broken = Object.defineProperty({ ...config }, "files", {
    get: () => {
      throw new Error("a room cannot be joined");
    },
  });
  const loaded = { config: broken, workDir, baseDir: workDir, file: null } as unknown as Parameters<
    typeof joinRooms
  >[0]["loaded"];
  await expect(joinRooms({ loaded, env: {}, report: () => {} })).rejects.toThrow("a room cannot be joined");
  const next = await createHost(settings);
  await next.stop();
});
