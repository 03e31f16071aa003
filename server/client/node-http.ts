// an ES import evaluates every export, of which `WebSocket` loads the implementation of `fetch`
/** Functions of node:http, loaded without Node's implementation of `fetch`. */
export const { createServer, request } = process.getBuiltinModule("node:http");
