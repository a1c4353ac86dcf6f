/** How far something is, in one line: a bar and percent where the whole is known, else what has come so far. Pure. */
import type { InstallProgress } from "../kernel/bundle-admin.ts";
import { sizeText } from "./size-text.ts";

const BAR = 24;

export const progressLine = ({ message, bytes, total }: InstallProgress): string => {
  if (bytes === undefined) return `${message} …`;
  if (total === undefined || total <= 0) return `${message} … ${sizeText(bytes)}`;
  const part = Math.min(1, Math.max(0, bytes / total));
  const full = Math.floor(part * BAR);
  const percent = `${Math.floor(part * 100)} %`.padStart(5);
  return `${message} [${"#".repeat(full)}${"·".repeat(BAR - full)}] ${percent} of ${sizeText(total)}`;
};
