/**
 * Hands a connection over to the door on a pipe, for `bailiwick mcp` beside a running host. Only the owner's key opens it,
 * because whoever speaks there is the local user.
 */
import type { IncomingMessage } from "node:http";
import type { Duplex } from "node:stream";
import { STATUS_CODES } from "../kernel/node-http.ts";
import { Refusal } from "../kernel/refusal.ts";
import { authenticate } from "./authenticate.ts";
import type { CheckFront } from "./check-front.ts";
import { doorRefusal, type DoorRefusal } from "./door-refusal.ts";
import type { ListenerDeps } from "./listener-deps.ts";
import { routeOf } from "./route-of.ts";
import { refusedAnswer } from "./run-call.ts";
import type { StdioDoor } from "./stdio-door.ts";
import { END_OF_INPUT, STDIO_PATH, STDIO_PROTOCOL } from "./stdio-protocol.ts";

const OWNER_KEY = "owner";
const SWITCHING = `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: ${STDIO_PROTOCOL}\r\n\r\n`;

export interface StdioUpgradeOptions {
  readonly deps: ListenerDeps;
  readonly door: StdioDoor;
  readonly checkFront: CheckFront;
  /** Why nobody is let in any more; null: the host runs. */
  readonly closed: () => DoorRefusal | null;
}

/** The endpoint, and the workspace that `X-Workspace-Id` names. */
interface Asked {
  readonly provider: string | null;
  readonly workspace: string;
}

export interface StdioUpgrade {
  take(req: IncomingMessage, socket: Duplex, head: Buffer): void;
  /** Cuts every connection. */
  cut(): void;
}

export const wantsStdio = ({ headers }: IncomingMessage): boolean => headers.upgrade?.toLowerCase() === STDIO_PROTOCOL;

export const createStdioUpgrade = ({ deps, door, checkFront, closed }: StdioUpgradeOptions): StdioUpgrade => {
  const open = new Set<Duplex>();

  /** What is asked for, or why not. */
  const admit = (req: IncomingMessage): Asked | DoorRefusal => {
    const { refusal, cors } = checkFront(req.headers);
    if (refusal) return refusal;
    const route = routeOf(req.url ?? "");
    if (
      cors !== null ||
      req.method !== "GET" ||
      route.door !== "rest" ||
      route.path !== STDIO_PATH ||
      !wantsStdio(req)
    ) {
      return nothingHere();
    }
    const stopping = closed();
    if (stopping) return stopping;
    const caller = authenticate(deps, req, "rest");
    if ("refusal" in caller) return caller;
    if (!deps.noAuth && caller.principal.credentialId !== OWNER_KEY) return ownerOnly();
    return { provider: route.query.get("provider"), workspace: caller.principal.workspace };
  };

  const refuse = (socket: Duplex, refusal: Refusal, headers: DoorRefusal["headers"]): void => {
    const { status, json, headers: more } = deps.shape.rest(refusedAnswer(refusal, null));
    const lines = Object.entries({ ...more, ...headers, "Content-Type": "application/json", Connection: "close" });
    const head = lines.map(([name, value]) => `${name}: ${value}\r\n`).join("");
    const length = `Content-Length: ${Buffer.byteLength(json)}\r\n`;
    socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${head}${length}\r\n${json}`);
  };

  /** Throws the refusal before anything is written. */
  const serve = async (socket: Duplex, asked: Asked): Promise<void> => {
    const onOpen = (): void => {
      open.add(socket);
      socket.write(SWITCHING);
    };
    await door.run({ input: socket, output: socket, endMark: END_OF_INPUT, onOpen, ...asked });
    socket.end();
  };

  return {
    take: (req, socket, head) => {
      socket.on("error", () => socket.destroy());
      socket.on("close", () => open.delete(socket));
      const asked = admit(req);
      if ("refusal" in asked) return refuse(socket, asked.refusal, asked.headers);
      if (head.length > 0) socket.unshift(head);
      serve(socket, asked).catch((error: unknown) => {
        if (error instanceof Refusal) return refuse(socket, error, null);
        deps.report(error);
        socket.destroy();
      });
    },
    cut: () => {
      for (const socket of open) socket.destroy();
    },
  };
};

const nothingHere = (): DoorRefusal =>
  doorRefusal("not_found", {
    message: "There is nothing here to switch to.",
    next: "Leave the Upgrade header out; MCP clients connect to /mcp, or start bailiwick mcp.",
  });

const ownerOnly = (): DoorRefusal =>
  doorRefusal("permission_missing", {
    message: "Only the owner's key may speak as the local user.",
    next: "Use the owner key, or connect to /mcp with your own.",
    details: { required_permission: "*" },
  });
