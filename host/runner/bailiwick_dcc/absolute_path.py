"""An absolute path taken apart by the rules of one flavour, as a string: the machine it runs on plays no part."""

import re
from typing import List, NamedTuple, Optional

_DRIVE = re.compile(r"([A-Za-z]:)[\\/]")
# A server's name is none of `.` and `?`, which stand for devices.
_SHARE = re.compile(r"[\\/]{2}([^\\/?.][^\\/]*)[\\/]+([^\\/]+)")


class AbsolutePath(NamedTuple):
    """`top` is `/`, `C:\\` or `\\\\server\\share`: what no `..` leaves. `names` has no empty ones, no `.` and no `..`."""

    top: str
    names: List[str]


def split_names(path, flavour):
    """On Windows both slashes part names; elsewhere `\\` is a character like any other."""
    return re.split(r"[\\/]", path) if flavour == "win32" else path.split("/")


def descend(names) -> Optional[List[str]]:
    """`a/./b/../c` gives `a`, `c`. None: it climbs above where it starts."""
    left = []
    for name in names:
        if name in ("", "."):
            continue
        if name != "..":
            left.append(name)
        elif left:
            left.pop()
        else:
            return None
    return left


def _descend_from_top(names):
    left = []
    for name in names:
        if name == "..":
            del left[-1:]
        elif name not in ("", "."):
            left.append(name)
    return left


def split_absolute(path, flavour) -> Optional[AbsolutePath]:
    """None: not absolute in this flavour. `//server/share` is so on Windows only."""
    if flavour == "posix":
        if not path.startswith("/") or path.startswith("//"):
            return None
        return AbsolutePath("/", _descend_from_top(path.split("/")))
    drive = _DRIVE.match(path)
    if drive is not None:
        return AbsolutePath(drive.group(1) + "\\", _descend_from_top(split_names(path[3:], flavour)))
    share = _SHARE.match(path)
    if share is None:
        return None
    names = _descend_from_top(split_names(path[share.end() :], flavour))
    return AbsolutePath("\\\\{}\\{}".format(share.group(1), share.group(2)), names)


def join_absolute(path, flavour) -> str:
    separator = "\\" if flavour == "win32" else "/"
    if not path.names:
        return path.top
    top = path.top if path.top.endswith(separator) else path.top + separator
    return top + separator.join(path.names)


def names_below(folder, path, flavour) -> Optional[List[str]]:
    """The names that lead from the folder to the path. None: it does not lie in there."""
    if len(path.names) < len(folder.names) or not _same_name(folder.top, path.top, flavour):
        return None
    if not all(_same_name(one, other, flavour) for one, other in zip(folder.names, path.names)):
        return None
    return path.names[len(folder.names) :]


def _same_name(one, other, flavour):
    """Windows takes `A` and `a` for one name; in doubt two names are two."""
    if one == other:
        return True
    return flavour == "win32" and one.upper() == other.upper() and one.lower() == other.lower()
