/** Facts about this host that several rooms write outward. */
export interface HostInfo {
  readonly id: string;
  readonly name: string | null;
  readonly environment: string;
  /** The software's version. */
  readonly version: string;
  readonly startedAt: number;
}
