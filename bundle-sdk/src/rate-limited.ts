/** -32004: too many requests. The same request may be sent again after `retryAfterMs`; nobody does that by itself. */
import { HostResourceError, type HostResourceFault } from "./host-resource-error.ts";

export class RateLimited extends HostResourceError {
  readonly retryAfterMs: number;

  constructor(fault: HostResourceFault & { readonly retryAfterMs: number }, options?: ErrorOptions) {
    super(fault, options);
    this.name = "RateLimited";
    this.retryAfterMs = fault.retryAfterMs;
  }
}
