/** The host answered with an error. `code` is the JSON-RPC code, `data` what came with it, as it came. */
export interface HostResourceFault {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export class HostResourceError extends Error {
  readonly code: number;
  readonly data: unknown;

  constructor({ code, message, data }: HostResourceFault, options?: ErrorOptions) {
    super(message, options);
    this.name = "HostResourceError";
    this.code = code;
    this.data = data;
  }
}
