/**
 * What is used of `node:http`. Imported as a module it would hand out all it has, Node's WebSocket and with it Node's fetch
 * among them, which cost a host 7 MB that it never needs.
 */

export const { createServer, request, STATUS_CODES } = process.getBuiltinModule("node:http");
