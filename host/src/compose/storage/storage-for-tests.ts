/** For tests: folders that go when the test ends, a clock that a test sets, and versions that are just so. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import type { NewVersion, StoredVersion } from "./stored-version.ts";
import { VersionStore } from "./version-store.ts";

export const temporaryDir = (): string => {
  const dir = mkdtempSync(join(tmpdir(), "bailiwick-compose-"));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};

/** A minute passes at each look, unless the test sets it. */
export class TestClock {
  #time = Date.parse("2026-01-01T00:00:00.000Z");
  readonly now = (): Date => new Date((this.#time += 60_000));

  set(time: string): void {
    this.#time = Date.parse(time) - 60_000;
  }

  pass(days: number): void {
    this.#time += days * 86_400_000;
  }
}

export const newVersion = (content_id: string, text: string, over: Partial<NewVersion> = {}): NewVersion => ({
  content_id,
  text,
  format: "markdown",
  generator: "template_fill",
  generator_version: "1.0.0",
  config_digest: "sha256:c",
  context_digest: "sha256:x",
  context_variables: ["a"],
  approved: false,
  ...over,
});

/** Days are those of January 2026, at noon. */
export const storedVersion = (content_id: string, day: number, over: Partial<StoredVersion> = {}): StoredVersion => {
  const timestamp = `2026-01-${String(day).padStart(2, "0")}T12:00:00.000Z`;
  const { text, ...rest } = newVersion(content_id, "text");
  return {
    ...rest,
    version_id: timestamp,
    timestamp,
    size_bytes: text.length,
    content_hash: "0123456789ab",
    ...over,
  };
};

export const openStore = (dir: string, clock = new TestClock()): VersionStore =>
  new VersionStore({ dir, now: clock.now });
