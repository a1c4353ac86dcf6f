"""What the host offers to scripts as `dcc_mcp_core` where that package is not installed."""

from .results import error_result, success_result
from .workspace_roots import WorkspaceResolveError, WorkspaceRoots

__all__ = ["WorkspaceResolveError", "WorkspaceRoots", "error_result", "success_result"]
