import { fork } from "node:child_process";
import type { Socket } from "node:net";
import { fileURLToPath } from "node:url";
import type { ListenerKind, HandedSocket } from "./calls.ts";
import { memoryFlags } from "./memory.ts";
import type { Message } from "./rpc.ts";
import type { ForkedProcess } from "./workers.ts";

// the extension differs between a checkout and the package
const extension = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
const entry = fileURLToPath(new URL(`./worker${extension}`, import.meta.url));

/** Starts a process that serves clients. Calls `received` with each of its messages. */
export function forkWorker(received: (message: Message) => void): ForkedProcess {
  const execArgv = [...process.execArgv, ...memoryFlags];
  const child = fork(entry, { serialization: "advanced", execArgv });
  const handed = new Map<number, readonly [client: Socket, door: ListenerKind]>();
  let count = 0;
  const accepted = (number: number): void => {
    handed.get(number)?.[0].destroy();
    handed.delete(number);
  };
  child.on("message", (message: Message | number) =>
    typeof message === "number" ? accepted(message) : received(message),
  );
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(error.message));
    child.once("exit", (code, signal) => resolve(signal ?? `code ${code}`));
  });
  return {
    pid: child.pid ?? 0,
    ended,
    send: (message) => void child.send(message, () => undefined),
    hand(door, client) {
      const number = count++;
      handed.set(number, [client, door]);
      // Keep the socket open here until the process acknowledges it. If the process exits first,
      // another process serves the client.
      child.send(
        { door, number } satisfies HandedSocket,
        client,
        { keepOpen: true },
        () => undefined,
      );
    },
    undelivered: () => [...handed.values()],
    kill: () => void child.kill("SIGKILL"),
  };
}
