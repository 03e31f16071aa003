// A server that uses only the platform: the same processes without this project's code. It parses a
// request, and commits or reads one row of 720 bytes; `/empty` does neither. `/keyed` first
// generates a key pair and a signature, as an issuance does.
import { fork } from "node:child_process";
import { generateKeyPairSync, randomBytes, sign } from "node:crypto";
import { createServer as createHttpServer } from "node:http";
import { connect, createServer, Socket } from "node:net";
import { DatabaseSync } from "node:sqlite";
import { deserialize, serialize } from "node:v8";
import { isMainThread, parentPort, Worker } from "node:worker_threads";

const [file = "", workers = "1", role = "primary"] = process.argv.slice(2);
/** Number of rows that are stored at the start, for reads. */
const rowsAtFirst = 1000;
type Row = readonly [serial: Uint8Array, value: Uint8Array];
/**
 * The rows that were added in one turn of the event loop, with the group's number, which is the
 * writer's reply.
 */
type Group = readonly [number: number, rows: readonly Row[]];

function frames<T>(socket: Socket, received: (message: T) => void): (message: unknown) => void {
  let rest: Buffer = Buffer.alloc(0);
  socket.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk]);
    for (; rest.length >= 4 && rest.length >= 4 + rest.readUInt32LE(0);) {
      const end = 4 + rest.readUInt32LE(0);
      received(deserialize(rest.subarray(4, end)));
      rest = rest.subarray(end);
    }
  });
  return (message) => {
    const [body, head] = [serialize(message), Buffer.alloc(4)];
    head.writeUInt32LE(body.length);
    socket.write(Buffer.concat([head, body]));
  };
}

/**
 * Runs the writer thread. Everything that has arrived by the end of a transaction goes into the
 * next one.
 */
function write(port: NonNullable<typeof parentPort>): void {
  const database = new DatabaseSync(file);
  database.exec(
    "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; CREATE TABLE rows (id INTEGER PRIMARY KEY, serial BLOB NOT NULL, value BLOB NOT NULL) STRICT; CREATE UNIQUE INDEX rows_serial ON rows (serial)",
  );
  const insert = database.prepare("INSERT INTO rows (serial, value) VALUES (?, ?)");
  for (let n = 0; n < rowsAtFirst; n++) insert.run(randomBytes(20), randomBytes(700));
  let waiting: (readonly [group: Group, reply: (number: number) => void])[] = [];
  const commit = (): void => {
    const all = waiting;
    waiting = [];
    database.exec("BEGIN IMMEDIATE");
    for (const [[, rows]] of all) for (const row of rows) insert.run(...row);
    database.exec("COMMIT");
    for (const [[number], reply] of all) reply(number);
  };
  const receive = (group: Group, reply: (number: number) => void): void => {
    if (waiting.push([group, reply]) === 1) setImmediate(commit);
  };
  port.on("message", (group: Group) => receive(group, (number) => port.postMessage(number)));
  const server = createServer((socket) => {
    const reply = frames<Group>(socket, (group) => receive(group, reply));
  });
  server.listen(`${file}.sock`, () => port.postMessage("ready"));
}

const { privateKey: signer } = generateKeyPairSync("ec", { namedCurve: "P-256" });
function pairAndSignature(): void {
  const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  privateKey.export({ format: "jwk" });
  sign("SHA256", randomBytes(500), signer);
}

/**
 * Serves requests. `send` passes groups of rows to the writer. Returns a function that handles the
 * writer's replies.
 */
function serve(send: (group: Group) => void) {
  const pending = new Map<number, (() => void)[]>();
  let [rows, done, number]: [Row[], (() => void)[], number] = [[], [], 0];
  const commit = (row: Row, committed: () => void): void => {
    done.push(committed);
    if (rows.push(row) > 1) return;
    setImmediate(() => {
      pending.set(++number, done);
      send([number, rows]);
      [rows, done] = [[], []];
    });
  };
  const reader = new DatabaseSync(file, { readOnly: true });
  const select = reader.prepare("SELECT value FROM rows WHERE id = ?");
  let read = 0;
  const nextRow = (): Buffer =>
    Buffer.from(select.get(1 + (read++ % rowsAtFirst))?.["value"] as Uint8Array);
  const server = createHttpServer((request, response) => {
    const reply = (body: string | Buffer): void =>
      void response
        .writeHead(200, { "content-type": "application/json", "content-length": body.length })
        .end(body);
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      if (request.url === "/empty") return reply("{}\n");
      if (request.method === "GET") return reply(nextRow());
      JSON.parse(Buffer.concat(parts).toString("utf8"));
      if (request.url === "/keyed") pairAndSignature();
      const random = randomBytes(720);
      commit([random.subarray(0, 20), random.subarray(20)], () => reply('{"stored":1}\n'));
    });
  });
  const received = (replied: number): void => {
    for (const committed of pending.get(replied) ?? []) committed();
    pending.delete(replied);
  };
  return { server, received };
}

const listening = (port: number): void => console.log(`The floor serves http://127.0.0.1:${port}`);
const portOf = (server: { address(): unknown }): number =>
  (server.address() as { readonly port: number }).port;

function lead(): void {
  const writer = new Worker(new URL(import.meta.url), { argv: process.argv.slice(2) });
  writer.once("message", () => {
    if (workers === "1") {
      const { server, received } = serve((group) => writer.postMessage(group));
      writer.on("message", received);
      return void server.listen(0, "127.0.0.1", () => listening(portOf(server)));
    }
    const forked = Array.from({ length: Number(workers) }, () =>
      fork(import.meta.filename, [file, workers, "worker"]),
    );
    let turn = 0;
    const server = createServer({ pauseOnConnect: true, noDelay: true }, (socket) =>
      forked[turn++ % forked.length]?.send("client", socket),
    );
    server.listen(0, "127.0.0.1", () => listening(portOf(server)));
    process.once("SIGTERM", () => process.exit());
  });
}

function work(): void {
  const socket = connect(`${file}.sock`);
  const { server, received } = serve((group) => send(group));
  const send = frames<number>(socket, received);
  process.on("message", (_, client) => {
    if (client instanceof Socket) server.emit("connection", client.setNoDelay(true));
    (client as Socket | undefined)?.resume();
  });
  process.once("disconnect", () => process.exit());
}

if (!isMainThread && parentPort) write(parentPort);
else if (role === "worker") work();
else lead();
