/**
 * Sees to it that no bundle's process outlives the host, even a host that is killed. One small shell for the whole host, in its
 * own session, holds the list and acts when its input ends; a copy of the list on disk serves the next boot.
 */
import { spawn, type ChildProcess } from "node:child_process";
import { brandOf } from "./brand-of.ts";
import { KEEPER_SCRIPT } from "./keeper-script.ts";
import { writeChildren } from "./children-file.ts";
import type { Spawned } from "./process-table.ts";

export interface Keeper {
  /** Before the spawn with pgid 0, and again when the group is known. */
  watch(spawned: Spawned): void;
  /** Nothing of it is left. */
  forget(marker: string): void;
  /** Ends the keeper; what is still watched ends with it. */
  close(): Promise<void>;
}

export interface KeeperOptions {
  /** `<workDir>/run/children`. */
  readonly file: string;
  /** Where its few programs are found. */
  readonly path: string;
  readonly warn: (message: string) => void;
}

const RESPAWN_MS = 500;
/** With an empty list it leaves at once; with a full one after its second of grace. */
const CLOSE_WAIT_MS = 5_000;

export const createKeeper = ({ file, path, warn }: KeeperOptions): Keeper => {
  const children = new Map<string, Spawned>();
  let shell: ChildProcess | null = null;
  let closed = false;

  const tell = (line: string): void => {
    shell?.stdin?.write(`${line}\n`);
  };
  const describe = ({ pgid, born, marker }: Spawned): string => `add ${pgid}:${born}:${brandOf(marker)}:${marker}`;

  const open = (): void => {
    const child = spawn("/bin/sh", ["-c", KEEPER_SCRIPT], {
      detached: true,
      cwd: "/",
      // No marker and nothing of the host's in its own environment.
      env: { PATH: path },
      stdio: ["pipe", "ignore", "ignore"],
    });
    shell = child;
    child.unref();
    (child.stdin as unknown as { unref?: () => void }).unref?.();
    child.stdin?.on("error", () => {});
    child.once("error", (error) => {
      warn(`the keeper could not be started (${error.message}): a killed host would leave processes behind`);
    });
    child.once("exit", () => {
      if (closed || shell !== child) return;
      setTimeout(() => {
        if (closed) return;
        open();
        for (const each of children.values()) tell(describe(each));
      }, RESPAWN_MS).unref();
    });
  };

  const save = (): void => {
    try {
      writeChildren(file, children.values());
    } catch (error) {
      warn(`${file} could not be written (${(error as Error).message}): the next boot would not find leftovers`);
    }
  };

  return {
    watch(spawned) {
      if (shell === null) open();
      if (children.has(spawned.marker)) tell(`del ${spawned.marker}`);
      children.set(spawned.marker, spawned);
      tell(describe(spawned));
      save();
    },
    forget(marker) {
      if (!children.delete(marker)) return;
      tell(`del ${marker}`);
      save();
    },
    async close() {
      closed = true;
      const child = shell;
      if (child === null || child.exitCode !== null || child.pid === undefined) return;
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, CLOSE_WAIT_MS);
        child.once("exit", () => {
          clearTimeout(timer);
          resolve();
        });
        child.stdin?.end();
      });
    },
  };
};
