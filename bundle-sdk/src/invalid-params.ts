/** -32602: the host does not take this URI or this filter; `data` says what about it. */
import { HostResourceError, type HostResourceFault } from "./host-resource-error.ts";

export class InvalidParams extends HostResourceError {
  constructor(fault: HostResourceFault, options?: ErrorOptions) {
    super(fault, options);
    this.name = "InvalidParams";
  }
}
