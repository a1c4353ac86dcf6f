/**
 * Folders that no client opens by naming them, even one that runs on this machine: the top of the disk, homes as a whole, what
 * belongs to the system, and whatever holds one of these.
 */
import { posix, win32 } from "node:path";
import { isInside, type PathFlavour } from "@bailiwick/contract";

interface Places {
  /** With everything in them. */
  readonly whole: readonly string[];
  /** Themselves alone. */
  readonly tops: readonly string[];
  /** Where homes are. */
  readonly homes: readonly string[];
}

const list = (text: string): readonly string[] => text.split(" ");

const PLACES: Readonly<Record<PathFlavour, Places>> = {
  posix: {
    whole: list(
      "/bin /boot /dev /etc /lib /lib32 /lib64 /libx32 /proc /run /sbin /sys /System /Library /private/etc " +
        "/usr/bin /usr/include /usr/lib /usr/lib32 /usr/lib64 /usr/libexec /usr/sbin /usr/share " +
        "/var/cache /var/lib /var/log /var/run /var/spool",
    ),
    tops: list("/root /usr/local /opt /srv /mnt /media /Applications /Volumes /private/var"),
    homes: ["/home", "/Users"],
  },
  win32: {
    whole: ["C:\\Windows", "C:\\Program Files", "C:\\Program Files (x86)", "C:\\ProgramData"],
    tops: [],
    homes: ["C:\\Users"],
  },
};

export const isBroadFolder = (path: string, home: string, flavour: PathFlavour): boolean => {
  const { whole, tops, homes } = PLACES[flavour];
  const holds = (place: string): boolean => isInside(path, place, flavour);
  const parent = (flavour === "win32" ? win32 : posix).dirname(path);
  if (parent === path || holds(home)) return true;
  if (whole.some((place) => holds(place) || isInside(place, path, flavour))) return true;
  const isHome = (place: string): boolean => isInside(parent, place, flavour) && isInside(place, parent, flavour);
  return tops.some(holds) || homes.some((place) => holds(place) || isHome(place));
};
