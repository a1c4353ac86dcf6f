/** What the host says of itself to those who ask. */
import type { Config } from "@bailiwick/contract";
import type { HostInfo } from "../kernel/host-info.ts";
import { HOST_VERSION } from "./version.ts";

export const hostInfo = ({ host }: Pick<Config, "host">, id: string): HostInfo => ({
  id,
  name: host.name ?? null,
  kind: host.kind,
  operatorVersion: host.version ?? HOST_VERSION,
  environment: host.environment ?? "prod",
  version: HOST_VERSION,
  startedAt: Date.now(),
});
