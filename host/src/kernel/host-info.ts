/** Facts about this host that several rooms write outward. */
export interface HostInfo {
  readonly id: string;
  readonly name: string | null;
  readonly kind: string;
  /** The operator's version of this host, else the software's. */
  readonly operatorVersion: string;
  readonly environment: string;
  /** The software's version. */
  readonly version: string;
  readonly startedAt: number;
}
