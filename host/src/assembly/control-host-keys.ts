/** The host's signing keys for one who is known beforehand. */
import type { HostKeys } from "../kernel/host-keys.ts";
import type { HostKeyControl } from "./host.ts";

export const controlHostKeys = (keys: HostKeys, by: string): HostKeyControl => ({
  list: async () => keys.list(),
  rotate: () => keys.rotate(by),
  revoke: (order) => keys.revoke(order, by),
});
