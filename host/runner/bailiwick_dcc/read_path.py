"""What a path or a root's URI says, before any root is looked at. Strings only; nothing is looked up."""

import re
from typing import List, NamedTuple, Optional
from urllib.parse import unquote_to_bytes

from .absolute_path import descend, join_absolute, split_absolute, split_names

_LONGEST = 4096
_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
_NOT_IN_A_NAME = re.compile("[/\\\\\x00-\x1f\x7f-\x9f]")
_BAD_ESCAPE = re.compile("%(?![0-9A-Fa-f]{2})")
_DRIVE = re.compile("[A-Za-z]:")
_ROOT_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+):")
_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]+)://")
_SERVER = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?\Z")
# With any extension too: `NUL.txt` is the device.
_DEVICE = re.compile(
    "(?:con|prn|aux|nul|conin\\$|conout\\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3]) *(?:\\.|\\Z)", re.IGNORECASE
)
_ENCODING = "write / between names and every other special character as its UTF-8 bytes, such as %20 for a blank"


class WorkspaceResolveError(ValueError):
    """A path that is not given out. The message names no absolute path of the host."""

    def __init__(self, kind, message, path, root=None):
        super().__init__(message)
        self.kind = kind
        self.path = path
        self.root = root


class AskedPath(NamedTuple):
    """`path` is absolute, or else `names` follow on a root; None: they climb above where they start."""

    path: Optional[str]
    is_uri: bool
    root: Optional[str]
    names: Optional[List[str]]


def _invalid(path, message):
    return WorkspaceResolveError("invalid_path", message, path)


def _text_fault(text):
    if text == "":
        return "path must not be empty"
    if len(text.encode("utf-16-le", "surrogatepass")) // 2 > _LONGEST:
        return "path is longer than {} characters; shorten it".format(_LONGEST)
    if _CONTROL.search(text):
        return "path has a control character; leave it out"
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return "path has half of a surrogate pair, which is no character; leave it out"
    return None


def name_fault(names, flavour):
    """Why a name cannot be used in a path that has to stay in a folder. Windows reads some names as something else."""
    for name in names if flavour == "win32" else ():
        if ":" in name:
            return "a colon in a name stands for a stream on Windows; leave it out"
        if name.endswith((".", " ")):
            return "Windows drops dots and blanks at the end of a name; leave them out"
        if _DEVICE.match(name):
            return "it names a device of Windows; use another name"
    return None


def _decode_names(segments):
    names = [_decode_name(segment) for segment in segments]
    return None if None in names else names


def _decode_name(segment):
    if _BAD_ESCAPE.search(segment):
        return None
    try:
        name = unquote_to_bytes(segment).decode("utf-8")
    except UnicodeDecodeError:
        return None
    return None if _NOT_IN_A_NAME.search(name) else name


def _read_file_uri(uri, flavour):
    """(path, None) or (None, reason)."""
    rest = uri[len("file:") :]
    if not rest.startswith("/"):
        return None, "a file: URI has an absolute path, as in file:///folder/name"
    slash = rest.find("/", 2) if rest.startswith("//") else 0
    if slash == -1:
        return None, "missing a path component"
    server = "" if slash == 0 else rest[2:slash]
    names = _decode_names(rest[slash:].split("/"))
    if names is None:
        return None, "the file: URI cannot be decoded; " + _ENCODING
    path = "/".join(names)
    if server == "" or server.lower() == "localhost":
        return (_to_windows(path) if flavour == "win32" else path), None
    if flavour == "posix":
        return None, "it names another machine; only files of this one can be used"
    if not _SERVER.match(server):
        return None, "the part after file:// is no server's name"
    return "\\\\" + server + path.replace("/", "\\"), None


def _to_windows(path):
    """`/C:/x`, which is how a URI spells `C:\\x`."""
    bare = path[1:] if re.match("/[A-Za-z]:", path) else path
    return bare.replace("/", "\\")


def read_root_uri(uri, flavour):
    """The folder that a root's URI names: (path, None), or (None, why it is none)."""
    fault = _text_fault(uri)
    if fault is not None:
        return None, fault
    match = _ROOT_SCHEME.match(uri)
    scheme = None if match is None else match.group(1).lower()
    if scheme not in (None, "file"):
        return None, "a {}: root names no folder of this machine; only file: roots do".format(scheme)
    path, reason = _read_file_uri(uri, flavour) if scheme == "file" else (uri, None)
    if path is None:
        return None, reason
    absolute = split_absolute(path, flavour)
    if absolute is None:
        example = "C:\\projects\\hero" if flavour == "win32" else "/projects/hero"
        return None, "it is no absolute path on this machine; write one such as " + example
    if ".." in split_names(path, flavour):
        return None, "it has a .. in it; name the folder itself"
    fault = name_fault(absolute.names, flavour)
    return (join_absolute(absolute, flavour), None) if fault is None else (None, fault)


def _read_workspace_uri(text):
    rest = text[len("workspace:") :]
    if "\\" in rest:
        raise _invalid(text, "a workspace: path has / between its names, not \\")
    slashes = len(rest) - len(rest.lstrip("/"))
    if len(rest) == slashes and slashes <= 3:
        raise _invalid(text, "missing a path component")
    if slashes == 0 or slashes > 3:
        raise _invalid(text, "write workspace://folder/name")
    names = _decode_names(rest[slashes:].split("/"))
    if names is None:
        raise _invalid(text, "a %-escape in the path is no character that a name may have; write % as %25")
    # Only a literal @ after // is a root's name: %40 and the third slash say that a folder is meant.
    named = slashes == 2 and rest.startswith("@", 2)
    below = descend(names[1:] if named else names)
    if below and _DRIVE.match(below[0]):
        raise _invalid(text, "a drive letter has no place here; write the path below the root")
    return AskedPath(None, True, names[0][1:] if named else None, below)


def read_asked_path(text, flavour) -> AskedPath:
    fault = _text_fault(text)
    if fault is not None:
        raise _invalid(text, fault)
    if re.match("workspace:", text, re.IGNORECASE):
        return _read_workspace_uri(text)
    path, reason = _read_file_uri(text, flavour) if re.match("file:", text, re.IGNORECASE) else (text, None)
    if path is None:
        raise _invalid(text, reason)
    # `/x` and `\x` too: where they start is not the caller's to say, and the same on each platform.
    if path.startswith(("/", "\\")) or re.match(r"[A-Za-z]:[\\/]", path):
        return AskedPath(path, False, None, None)
    if _DRIVE.match(path):
        raise _invalid(text, "a drive letter is followed by \\, as in C:\\folder\\name")
    scheme = _SCHEME.match(path)
    if scheme is not None:
        message = "{}:// names no file of this host; write workspace://folder/name".format(scheme.group(1))
        raise WorkspaceResolveError("unsupported_scheme", message, text)
    # A \ parts no names on POSIX, and still nothing that looks like climbing out is taken there.
    climbs = descend(split_names(path, "win32")) is None
    return AskedPath(None, False, None, None if climbs else descend(split_names(path, flavour)))
