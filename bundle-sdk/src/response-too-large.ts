/** -32005: the file has more bytes than the host reads out at once. Null where the host did not say. */
import { HostResourceError, type HostResourceFault } from "./host-resource-error.ts";

export class ResponseTooLarge extends HostResourceError {
  readonly size: number | null;
  readonly maxSize: number | null;

  constructor(
    fault: HostResourceFault & { readonly size: number | null; readonly maxSize: number | null },
    options?: ErrorOptions,
  ) {
    super(fault, options);
    this.name = "ResponseTooLarge";
    this.size = fault.size;
    this.maxSize = fault.maxSize;
  }
}
