import { expect, it } from "vitest";
import { isInside } from "./is-inside.ts";
import type { PathFlavour } from "./roots.ts";

it.each<[PathFlavour, string, string, boolean]>([
  ["posix", "/a/b", "/a/b", true],
  ["posix", "/a/b/", "/a/b", true],
  ["posix", "/a/b", "/a/b/c/d", true],
  ["posix", "/", "/a", true],
  ["posix", "/a/b", "/a/bc", false],
  ["posix", "/a/b", "/a", false],
  ["posix", "/a/b", "/a/b/../c", false],
  ["posix", "/a/b", "/A/B/c", false],
  ["posix", "/a/b", "a/b/c", false],
  ["posix", "/a", "//a/b", false],
  ["posix", "/a", "/a\\b", false],
  ["win32", "C:\\a\\b", "c:/A/B/c", true],
  ["win32", "C:\\", "c:\\x", true],
  ["win32", "\\\\Srv\\Share", "//srv/share/x", true],
  ["win32", "C:\\a", "D:\\a\\b", false],
  ["win32", "C:\\a", "C:\\ab", false],
  ["win32", "C:\\a", "C:a\\b", false],
  ["win32", "\\\\srv\\share", "\\\\srv\\share2\\x", false],
  ["win32", "C:\\work", "C:\\wor\u212a\\x", false],
  ["win32", "C:\\stra\u00dfe", "C:\\STRASSE\\x", false],
])("%s: is %s the folder of %s? %s", (flavour, root, path, inside) => {
  expect(isInside(root, path, flavour)).toBe(inside);
});
