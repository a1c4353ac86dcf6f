/** What each folder of a skill holds, in the order of the URIs: its files, and the folders in which files lie. */
import type { Child, SkillFile } from "./skill.ts";

const FOLDER = "inode/directory";

export const foldersOf = (root: string, files: readonly SkillFile[]): ReadonlyMap<string, readonly Child[]> => {
  const folders = new Map<string, Map<string, Child>>([[root, new Map()]]);
  for (const { uri, name, mediaType, size } of files) {
    let child: Child = { uri, name, mimeType: mediaType, size };
    for (let at = child.uri.lastIndexOf("/"); at >= root.length; at = child.uri.lastIndexOf("/")) {
      const parent = uri.slice(0, at);
      const held = folders.get(parent);
      if (held) {
        held.set(child.uri, child);
        break;
      }
      folders.set(parent, new Map([[child.uri, child]]));
      child = { uri: parent, name: decodeURIComponent(parent.slice(parent.lastIndexOf("/") + 1)), mimeType: FOLDER };
    }
  }
  return new Map(Array.from(folders, ([uri, held]) => [uri, [...held.values()].toSorted(byUri)]));
};

const byUri = (a: Child, b: Child): number => (a.uri < b.uri ? -1 : a.uri > b.uri ? 1 : 0);
