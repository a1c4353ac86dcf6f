/** An absolute path taken apart by the rules of one flavour, as a string: the machine it runs on plays no part. */
import type { PathFlavour } from "./roots.ts";

export interface AbsolutePath {
  /** `/`, `C:\` or `\\server\share`: what no `..` leaves. */
  readonly top: string;
  /** Without empty ones, `.` and `..`. */
  readonly names: readonly string[];
}

const DRIVE = /^([A-Za-z]:)[\\/]/u;
/** A server's name is none of `.` and `?`, which stand for devices. */
const SHARE = /^[\\/]{2}([^\\/?.][^\\/]*)[\\/]+([^\\/]+)/u;

/** On Windows both slashes part names; elsewhere `\` is a character like any other. */
export const splitNames = (path: string, flavour: PathFlavour): string[] =>
  path.split(flavour === "win32" ? /[\\/]/u : "/");

/** `a/./b/../c` gives `a`, `c`. Null: it climbs above where it starts. */
export const descend = (names: readonly string[]): string[] | null => {
  const left: string[] = [];
  for (const name of names) {
    if (name === "" || name === ".") continue;
    if (name !== "..") left.push(name);
    else if (left.pop() === undefined) return null;
  }
  return left;
};

/** Like a system does, which stays at the top when a path climbs above it. */
const descendFromTop = (names: readonly string[]): string[] => {
  const left: string[] = [];
  for (const name of names) {
    if (name === "..") left.pop();
    else if (name !== "" && name !== ".") left.push(name);
  }
  return left;
};

/** Null: not absolute in this flavour. `//server/share` is so on Windows only, whatever a POSIX system makes of it. */
export const splitAbsolute = (path: string, flavour: PathFlavour): AbsolutePath | null => {
  if (flavour === "posix") {
    if (!path.startsWith("/") || path.startsWith("//")) return null;
    return { top: "/", names: descendFromTop(path.split("/")) };
  }
  const drive = DRIVE.exec(path)?.[1];
  if (drive !== undefined) return { top: `${drive}\\`, names: descendFromTop(splitNames(path.slice(3), flavour)) };
  const share = SHARE.exec(path);
  if (share === null) return null;
  const names = descendFromTop(splitNames(path.slice(share[0].length), flavour));
  return { top: `\\\\${share[1]}\\${share[2]}`, names };
};

export const joinAbsolute = ({ top, names }: AbsolutePath, flavour: PathFlavour): string => {
  if (names.length === 0) return top;
  const separator = flavour === "win32" ? "\\" : "/";
  return (top.endsWith(separator) ? top : top + separator) + names.join(separator);
};
