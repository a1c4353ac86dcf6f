"""
The absolute path that a caller's path stands for. The same rules as the host's own: contained in a root on real paths, and only
the permissive profile hands on absolute paths as they are. What is true here may be untrue when the file is opened.
"""

import errno
import os
import sys

from .absolute_path import AbsolutePath, join_absolute, names_below, split_absolute
from .read_path import WorkspaceResolveError, name_fault, read_asked_path, read_root_uri

_PROFILES = ("strict", "permissive")
_HAS_STRICT = sys.version_info >= (3, 10)
# Nothing can be opened under such a name. All else, such as a closed folder, may be a link that we cannot see.
_ABSENT = (errno.ENOENT, errno.ENOTDIR, errno.ENAMETOOLONG)


class _Disk:
    """The disk as the resolution of a path asks about it. Nothing is kept: a link may change at any time."""

    @staticmethod
    def realpath(path):
        """None: nothing is there, or nobody can say where it leads."""
        try:
            if _HAS_STRICT:
                return os.path.realpath(path, strict=True)
            os.stat(path)
            return os.path.realpath(path)
        except OSError:
            return None

    @staticmethod
    def exists(path):
        try:
            os.lstat(path)
            return True
        except OSError as error:
            return error.errno not in _ABSENT


class WorkspaceRoots:
    """
    `roots`: absolute paths, `file:` URIs, or mappings with `uri` and perhaps `name` and `path`. Those that are no base stay in
    the list. `resolve` returns a string and raises ValueError.
    """

    def __init__(self, roots=(), profile="strict", *, _flavour=None, _view=_Disk):
        if profile not in _PROFILES:
            raise ValueError('profile is "strict" or "permissive"')
        self.profile = profile
        self._flavour = _flavour or ("win32" if os.name == "nt" else "posix")
        self._view = _view
        self._entries = [_entry_of(root, self._flavour) for root in roots]
        self._usable = [(each["name"], each["path"]) for each in self._entries if each["path"] is not None]

    @classmethod
    def from_client_roots(cls, roots, profile="strict"):
        """`roots` as a client answers `roots/list`: objects with `uri` and perhaps `name`."""
        return cls(roots, profile)

    def roots(self):
        """Each with `name`, `uri`, `path` and, where that is None, the `reason`; the first path is the one of `workspace://`."""
        return [dict(each) for each in self._entries]

    def resolve(self, path):
        if not isinstance(path, (str, os.PathLike)):
            raise WorkspaceResolveError("invalid_path", "path must be a string", str(path))
        text = os.fspath(path)
        if not isinstance(text, str):
            raise WorkspaceResolveError("invalid_path", "path must be a string", str(path))
        asked = read_asked_path(text, self._flavour)
        if asked.path is not None:
            return asked.path if self.profile == "permissive" else self._find_in_roots(text, asked.path)
        if self._usable:
            return self._join(text, asked)
        if asked.is_uri or self.profile == "strict":
            message = 'no workspace roots advertised by client; cannot resolve "{}"'.format(text)
            raise WorkspaceResolveError("no_workspace_roots", message, text)
        if asked.names is None:
            raise _outside(text, None)
        return text

    def __repr__(self):
        return "WorkspaceRoots({!r}, profile={!r})".format([path for _, path in self._usable], self.profile)

    def _find_in_roots(self, text, path):
        """An absolute path in the strict profile: it counts if it lies in any root, and is then spelled as that root is."""
        flavour = self._flavour
        asked = split_absolute(path, flavour)
        if asked is None:
            raise _outside(text, None)
        self._refuse_bad_names(text, asked.names)
        real = self._real(asked)
        if real is None:
            raise _outside(text, None)
        for _, root in self._usable:
            folder = split_absolute(root, flavour)
            real_folder = self._real(folder)
            below = None if real_folder is None else names_below(real_folder, real, flavour)
            if below is None:
                continue
            names = names_below(folder, asked, flavour)
            return join_absolute(AbsolutePath(folder.top, folder.names + (below if names is None else names)), flavour)
        raise _outside(text, None)

    def _join(self, text, asked):
        name, root = self._choose(text, asked.root)
        if asked.names is None:
            raise _outside(text, name)
        self._refuse_bad_names(text, asked.names)
        folder = split_absolute(root, self._flavour)
        joined = AbsolutePath(folder.top, folder.names + asked.names)
        real_folder = self._real(folder)
        real = self._real(joined)
        if real_folder is None or real is None or names_below(real_folder, real, self._flavour) is None:
            raise _outside(text, name)
        return join_absolute(joined, self._flavour)

    def _choose(self, text, name):
        if name is None:
            return self._usable[0]
        for root in self._usable:
            if root[0] == name:
                return root
        known = ["@" + other for other, _ in self._usable if other is not None][:10]
        hint = "there is " + ", ".join(known) if known else "leave the name out"
        raise WorkspaceResolveError("unknown_root", 'no root is named "{}"; {}'.format(name, hint), text, name)

    def _refuse_bad_names(self, text, names):
        fault = name_fault(names, self._flavour)
        if fault is not None:
            raise WorkspaceResolveError("invalid_path", fault, text)

    def _real(self, path):
        """None: something is there, and nobody can say where it leads (a link to nothing, a loop, a closed folder)."""
        whole = self._view.realpath(join_absolute(path, self._flavour))
        if whole is not None:
            return split_absolute(whole, self._flavour)
        count = self._count_existing(path)
        start = AbsolutePath(path.top, path.names[:count])
        real = self._view.realpath(join_absolute(start, self._flavour))
        # A drive that does not exist has no real path, and nothing on it is a link.
        if real is None:
            return path if count == 0 else None
        prefix = split_absolute(real, self._flavour)
        return None if prefix is None else AbsolutePath(prefix.top, prefix.names + path.names[count:])

    def _count_existing(self, path):
        """A name below one that is missing is missing too, so half of the rest is ruled out each time."""
        low, high = 0, len(path.names)
        while low < high:
            middle = (low + high + 1) // 2
            if self._view.exists(join_absolute(AbsolutePath(path.top, path.names[:middle]), self._flavour)):
                low = middle
            else:
                high = middle - 1
        return low


def _entry_of(root, flavour):
    """The path that the host found for a root counts before its URI."""
    given = {"uri": os.fspath(root)} if isinstance(root, (str, os.PathLike)) else root
    uri, name = given.get("path") or given.get("uri"), given.get("name")
    if not isinstance(uri, str):
        raise ValueError("a root is a path, or an object with a uri")
    path, reason = read_root_uri(uri, flavour)
    name = name if isinstance(name, str) else None
    return {"name": name, "uri": given.get("uri") or uri, "path": path, "reason": reason}


def _outside(path, root):
    where = "the workspace roots" if root is None else 'the root "{}"'.format(root)
    message = '"{}" leads out of {}; write workspace://folder/name, without .. and links to elsewhere'.format(path, where)
    return WorkspaceResolveError("path_outside_roots", message, path, root)
