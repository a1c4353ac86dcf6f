import { expect, it } from "vitest";
import * as sdk from "./index.ts";

it("exports what the guide for authors names, and nothing else", () => {
  expect(Object.keys(sdk).toSorted()).toEqual([
    "CAPABILITY_MISSING",
    "HOST_RESOURCES",
    "HostCapabilityMissing",
    "HostResourceError",
    "InvalidParams",
    "NO_WORKSPACE_ROOTS",
    "RateLimited",
    "ResourceNotFound",
    "ResponseTooLarge",
    "WorkspaceResolveError",
    "WorkspaceRoots",
    "host",
  ]);
});
