import { expect, it } from "vitest";
import * as sdk from "./index.ts";

it("exports what the guide for authors names, and nothing else", () => {
  expect(Object.keys(sdk).toSorted()).toEqual([
    "HOST_RESOURCES",
    "HostCapabilityMissing",
    "HostResourceError",
    "InvalidParams",
    "RateLimited",
    "ResourceNotFound",
    "ResponseTooLarge",
    "host",
  ]);
});
