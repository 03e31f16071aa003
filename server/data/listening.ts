import { connect } from "node:net";

/**
 * Reports whether a process listens on a Unix socket. A killed process leaves the socket's path
 * behind.
 */
export function isListening(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", () => resolve(false));
  });
}
