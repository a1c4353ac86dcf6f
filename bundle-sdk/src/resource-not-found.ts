/** -32002: the workspace has no such file. A file of another workspace looks just the same. */
import { HostResourceError, type HostResourceFault } from "./host-resource-error.ts";

export class ResourceNotFound extends HostResourceError {
  readonly uri: string;

  constructor(fault: HostResourceFault & { readonly uri: string }, options?: ErrorOptions) {
    super(fault, options);
    this.name = "ResourceNotFound";
    this.uri = fault.uri;
  }
}
