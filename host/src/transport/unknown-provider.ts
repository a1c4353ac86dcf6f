/** The "no" for an endpoint of a provider that its caller cannot see, whether or not it exists. */
import { doorRefusal, type DoorRefusal } from "./door-refusal.ts";

export const unknownProvider = (provider: string): DoorRefusal =>
  doorRefusal("not_found", {
    message: `There is no provider ${JSON.stringify(provider.slice(0, 100))} to see here.`,
    next: "Use a name that `bailiwick bundle list` or GET /v1/providers lists, or leave it out (/mcp) for all of them.",
  });
