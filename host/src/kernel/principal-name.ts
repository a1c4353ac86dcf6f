/**
 * Who calls, in one line: `person:ann`, `agent:mcp-client for person:ann`. Programs of several people share an id, so what
 * belongs to one of them is kept under this name and never under the id alone.
 */
import type { Principal } from "./principal.ts";

export const principalName = ({ id, onBehalfOf }: Pick<Principal, "id" | "onBehalfOf">): string =>
  onBehalfOf === null ? id : `${id} for ${onBehalfOf}`;
