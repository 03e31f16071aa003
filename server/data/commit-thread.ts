import { createServer } from "node:net";
import { parentPort, workerData } from "node:worker_threads";
import { openFile } from "../../src/node/sqlite-file.ts";
import { commitQueue, type CommitNotice, type Requests, type Sender } from "./commit-queue.ts";
import { commitWriter } from "./commits.ts";
import { framesOver } from "./frames.ts";

/** The parameters of the writer thread. */
export interface WriterSettings {
  readonly file: string;
  /** Path of the Unix socket on which the thread accepts other processes of the server. */
  readonly socket?: string;
}
/** The first message from the writer thread: that it is ready, or why it cannot start. */
export type FromWriter = { readonly ready: true } | { readonly refused: string };

// Entry point of the writer thread. A separate thread writes, so that waiting for the disk does not
// block threads that serve requests.

if (parentPort !== null) run(parentPort, workerData as WriterSettings);

function run(port: NonNullable<typeof parentPort>, { file, socket }: WriterSettings): void {
  const first = (message: FromWriter): void => port.postMessage(message);
  try {
    const writer = commitWriter(openFile(file), socket !== undefined);
    writer.migrateTables();
    const queue = commitQueue(writer);
    const owner: Sender = { send: (notice) => port.postMessage(notice) };
    const server = createServer((connection) => {
      const frames = framesOver<Requests, CommitNotice>(connection, (requests) =>
        queue.receive(frames, requests),
      );
      queue.join(frames);
      connection.once("close", () => queue.leave(frames));
      // an error means that the process has exited
      connection.on("error", () => connection.destroy());
    });
    port.on("message", (message: Requests | "join" | "stop") => {
      if (message === "join") return queue.join(owner);
      if (message !== "stop") return queue.receive(owner, message);
      // stop only after the waiting changes have been committed
      setImmediate(() => {
        writer.close();
        process.exit(0);
      });
    });
    if (socket === undefined) return first({ ready: true });
    server.once("error", (error) => first({ refused: error.message }));
    server.listen(socket, () => first({ ready: true }));
  } catch (error) {
    first({ refused: error instanceof Error ? error.message : String(error) });
  }
}
