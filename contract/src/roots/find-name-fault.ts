/** Why a name cannot be used in a path that has to stay in a folder, or null. Windows reads some names as something else. */
import type { PathFlavour } from "./roots.ts";

/** With any extension too: `NUL.txt` is the device. */
const DEVICE = /^(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3]) *(?:\.|$)/iu;

export const findNameFault = (names: readonly string[], flavour: PathFlavour): string | null => {
  if (flavour === "posix") return null;
  for (const name of names) {
    if (name.includes(":")) return "a colon in a name stands for a stream on Windows; leave it out";
    if (name.endsWith(".") || name.endsWith(" ")) {
      return "Windows drops dots and blanks at the end of a name; leave them out";
    }
    if (DEVICE.test(name)) return "it names a device of Windows; use another name";
  }
  return null;
};
