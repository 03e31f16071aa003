import { Socket } from "node:net";
import type { HandedSocket, PrimaryCalls } from "./calls.ts";
import { collectEarly } from "./memory.ts";
import { remoteOver, type Message, type Remote } from "./rpc.ts";
import { ServerProcess } from "./server-process.ts";

// Entry point of one of several processes that serve clients. The primary process controls it, and
// it exits with the primary. Ctrl-C signals every process in a terminal, so this process ignores
// signals and the primary decides when it stops.

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => undefined);
process.once("disconnect", () => process.exit(0));
// only the owner can access new files
process.umask(0o077);
collectEarly();

const send = (message: Message): void => void process.send?.(message, () => undefined);
const own = new ServerProcess({
  run: (job) => primary.call("run", job),
  wake: (at) => void primary.call("wake", at),
  setClock: (now) => primary.call("setClock", now),
  counts: () => primary.call("counts", undefined),
  backup: () => primary.call("backup", undefined),
  lostWriter: () => void primary.call("lostWriter", undefined),
});
const primary: Remote<PrimaryCalls> = remoteOver(send, own);
process.on("message", (message: Message | HandedSocket, client: unknown) => {
  if (!("door" in message)) return primary.received(message);
  const { door, number } = message;
  // acknowledge the socket before anything is read from it
  process.send?.(number, () => undefined);
  // the client has already disconnected
  if (!(client instanceof Socket)) return;
  // the option is lost when a socket is passed to another process
  client.allowHalfOpen = true;
  own.accept(door, client);
});
