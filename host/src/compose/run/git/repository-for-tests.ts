/** For tests: repositories that git made, and how they are read here. */
import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { ComposeError } from "../../compose-error.ts";
import { temporaryDir } from "../../storage/storage-for-tests.ts";
import { readCommitted } from "./read-committed.ts";

const ENV = {
  PATH: process.env["PATH"] ?? "",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.org",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.org",
};

/** For a root that keeps nothing closed. */
export const allow = (): void => {};

export interface Repository {
  readonly root: string;
  readonly git: (...args: string[]) => string;
  readonly commit: (files: Readonly<Record<string, string>>) => string;
  readonly read: (ref: string, path: string, maxBytes?: number) => Promise<string | null>;
}

export const openRepository = (root = temporaryDir()): Repository => {
  const git = (...args: string[]): string =>
    execFileSync("git", args, { cwd: root, env: ENV, stdio: "pipe" }).toString().trim();
  git("init", "-q", "-b", "main");
  return {
    root,
    git,
    commit: (files) => {
      for (const [name, text] of Object.entries(files)) {
        mkdirSync(dirname(join(root, name)), { recursive: true });
        writeFileSync(join(root, name), text);
      }
      git("add", "-A");
      git("commit", "-qm", "more");
      return git("rev-parse", "HEAD");
    },
    read: (ref, path, maxBytes = 1_000_000) =>
      readCommitted({ roots: [root], ref, path, allow, maxBytes, signal: new AbortController().signal }),
  };
};

export const lines = (count: number, seed: number): string =>
  Array.from({ length: count }, (_, n) => `line ${n} ${(n * 7919 + seed) % 104_729}`).join("\n");

export const packsOf = (root: string, git: Repository["git"]): string[] =>
  git("count-objects", "-v").includes("packs: 1")
    ? execFileSync("sh", ["-c", "ls .git/objects/pack/*.idx"], { cwd: root }).toString().trim().split("\n")
    : [];

export const messageOf = async (work: Promise<unknown>): Promise<string> => {
  const error: unknown = await work.then(
    (value) => new Error(`it gave ${JSON.stringify(value)}`),
    (caught: unknown) => caught,
  );
  if (error instanceof ComposeError && error.code === "generation_failed") return error.message;
  throw error;
};
