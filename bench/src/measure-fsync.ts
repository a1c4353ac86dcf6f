/**
 * How long this disk takes to make 4 KiB at the end of a file durable: what one group commit costs at least.
 */
import { closeSync, fdatasyncSync, mkdirSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";

const SAMPLES = 100;

export const measureFsync = (directory: string): number[] => {
  mkdirSync(directory, { recursive: true });
  const path = join(directory, "fsync.probe");
  const file = openSync(path, "a");
  const block = Buffer.alloc(4096, 1);
  const samples = Array.from({ length: SAMPLES }, () => {
    writeSync(file, block);
    const from = performance.now();
    fdatasyncSync(file);
    return performance.now() - from;
  });
  closeSync(file);
  rmSync(path);
  return samples;
};
