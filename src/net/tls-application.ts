import { alertFor, alertNumber, TlsError, violation, type AlertName } from "./tls-error.ts";
import { messageBytes, messageType, type Handshake, type Message } from "./tls-handshake.ts";
import { recordType } from "./tls-protection.ts";
import type { NegotiatedSession } from "./tls-session.ts";
import type { Transport } from "./tls-transport.ts";

/**
 * Maximum number of handshake records without application data in between. A peer that exceeds it
 * is considered hostile.
 */
const maxMessages = 32;

/** Encodes an alert. Three alerts have the level `warning`; all others are fatal. */
const alertBytes = (number: number): Uint8Array =>
  Uint8Array.of([0, 90, 100].includes(number) ? 1 : 2, number);

/** The layers of a connection below the application streams. */
interface Session {
  readonly transport: Transport;
  readonly shake: Handshake;
  readonly agreed: NegotiatedSession;
}
/** The application's streams in both directions. */
interface Streams {
  readonly readable: ReadableStream<Uint8Array>;
  readonly writable: WritableStream<Uint8Array>;
  close(): void;
}

/** Closes a connection with an error. Sends an alert unless the peer caused the error. */
export function fail({ transport, shake }: Omit<Session, "agreed">, error: unknown): TlsError {
  const alert = alertFor(error);
  // sends pending messages before the alert
  shake.flush();
  const failure =
    error instanceof TlsError
      ? error
      : new TlsError("closed", "TLS: the connection was lost", { cause: error });
  transport.end(
    failure,
    alert === undefined ? undefined : shake.records.sealed(recordType.alert, alertBytes(alert)),
  );
  return failure;
}

/** Returns the streams of an established connection. */
export function applicationStreams(session: Session): Streams {
  const { transport, shake } = session;
  const { records } = shake;
  const state = { said: false, heard: false };
  const notify = (): Promise<Uint8Array> =>
    records.sealed(recordType.alert, alertBytes(alertNumber("close_notify")));
  const close = (): void => {
    const last = state.said ? undefined : notify();
    state.said = true;
    transport.end(new TlsError("closed", "TLS: the connection is closed"), last);
  };
  const receive = receiver(session);
  const readable = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          controller.enqueue(await receive());
        } catch (error) {
          if (!isGoodbye(error)) throw fail(session, error);
          state.heard = true;
          controller.close();
          if (state.said || session.agreed.version === "1.2") close();
        }
      },
      cancel: close,
    },
    { highWaterMark: 0 },
  );
  const writable = new WritableStream<Uint8Array>({
    async write(bytes) {
      if (bytes.length > 0) await records.write(recordType.application, bytes);
    },
    async close() {
      if (state.heard) return close();
      if (state.said) return;
      state.said = true;
      await transport.write(notify());
    },
    abort: close,
  });
  return { readable, writable, close };
}

const isGoodbye = (error: unknown): boolean =>
  error instanceof TlsError && error.kind === "closed" && error.alert === "close_notify";

/**
 * Returns a function that reads the next application data, and handles all other messages before
 * it.
 */
function receiver(session: Session): () => Promise<Uint8Array> {
  const { shake } = session;
  const deal = dealer(session);
  return async () => {
    for (let messages = 0; ;) {
      const { type, body } = await shake.records.next();
      if (type === recordType.application) {
        shake.boundary();
        return body;
      }
      if (type !== recordType.handshake)
        throw violation("unexpected_message", `the server sent an unexpected record (${type})`);
      shake.feed(body);
      for (let next = shake.later(); next; next = shake.later()) await deal(next);
      if (++messages > maxMessages)
        throw violation(
          "unexpected_message",
          "the server sent too many handshake messages without data",
        );
    }
  };
}

/** Returns a handler for messages after the handshake. */
function dealer({ shake, transport, agreed }: Session): (message: Message) => Promise<void> {
  const { records } = shake;
  const warn = (alert: AlertName): void => {
    records.write(recordType.alert, alertBytes(alertNumber(alert))).catch(() => undefined);
  };
  let answering = false;
  const answer = async (update: NonNullable<NegotiatedSession["update"]>): Promise<void> => {
    // sends one response to all key updates that are requested while it waits to be sent (RFC 8446
    // section 4.6.3)
    if (answering || transport.ended) return;
    answering = true;
    const message = messageBytes(messageType.keyUpdate, Uint8Array.of(0));
    await update.writing(() => {
      const written = records.write(recordType.handshake, message).catch(() => undefined);
      void written.then(() => (answering = false));
    });
  };
  return async ({ type, body }) => {
    const { update } = agreed;
    if (update && type === messageType.newSessionTicket) return;
    if (update && type === messageType.keyUpdate) {
      const [request = 2] = body;
      if (body.length !== 1)
        throw violation("decode_error", "the server sent a KeyUpdate of the wrong length");
      if (request > 1)
        throw violation("illegal_parameter", "the server sent a KeyUpdate with an invalid request");
      shake.boundary();
      await update.reading();
      if (request === 1) await answer(update);
      return;
    }
    if (!update && type === messageType.helloRequest && body.length === 0)
      return warn("no_renegotiation");
    throw violation(
      "unexpected_message",
      `the server sent an unexpected handshake message (${type})`,
    );
  };
}
