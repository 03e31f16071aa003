import { CaError, refusals, type Refusal } from "../../src/base/errors.ts";

/** Functions that another process can call, with plain data as argument and result. */
type Calls<C> = { readonly [K in keyof C]: (value: never) => unknown };

/** An error in serialized form, because errors lose their class between processes. */
interface Failure {
  readonly message: string;
  /** Error code of a CaError. */
  readonly refusal?: Refusal;
  /** Error code of a system error, such as `EADDRINUSE`. */
  readonly code?: string;
}

/** A message between two processes of a server. */
export type Message =
  | { readonly call: number; readonly name: string; readonly value: unknown }
  | { readonly reply: number; readonly value: unknown }
  | { readonly reply: number; readonly failure: Failure };

/** The other process of a connection. */
export interface Remote<C extends Calls<C>> {
  /**
   * Calls a function of the other process. Rejects with the error of that function, or if the
   * process is gone.
   */
  call<K extends keyof C & string>(
    name: K,
    value: Parameters<C[K]>[0],
  ): Promise<Awaited<ReturnType<C[K]>>>;
  /** Handles a message from the other process. */
  received(message: Message): void;
  /** Records that the other process is gone, which rejects all pending calls. */
  lost(): void;
}

interface Pending {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** Connects to the process that `send` reaches. `own` handles calls from that process. */
export function remoteOver<C extends Calls<C>>(
  send: (message: Message) => void,
  own: object,
): Remote<C> {
  const pending = new Map<number, Pending>();
  let [next, isLost] = [1, false];
  const answer = async (id: number, name: string, value: unknown): Promise<void> => {
    try {
      const called: unknown = Reflect.get(own, name);
      if (typeof called !== "function") throw new TypeError(`unknown call ${name}`);
      const reply: unknown = await called.call(own, value);
      send({ reply: id, value: reply });
    } catch (error) {
      send({ reply: id, failure: failureOf(error) });
    }
  };
  return {
    call: (name, value) =>
      new Promise((resolve, reject) => {
        if (isLost) return reject(exitedError());
        const id = next++;
        pending.set(id, { resolve, reject });
        send({ call: id, name, value });
      }),
    received(message) {
      if ("call" in message) return void answer(message.call, message.name, message.value);
      const one = pending.get(message.reply);
      pending.delete(message.reply);
      if ("failure" in message) one?.reject(errorOf(message.failure));
      else one?.resolve(message.value);
    },
    lost() {
      isLost = true;
      for (const { reject } of pending.values()) reject(exitedError());
      pending.clear();
    },
  };
}

const exitedError = (): CaError =>
  new CaError("storage", "the process that handles this call has exited");

function failureOf(error: unknown): Failure {
  if (error instanceof CaError && error.code in refusals)
    return { message: error.message, refusal: error.code };
  if (!(error instanceof Error)) return { message: String(error) };
  const { message } = error;
  return "code" in error && typeof error.code === "string"
    ? { message, code: error.code }
    : { message };
}
const errorOf = ({ message, refusal, code }: Failure): Error =>
  refusal !== undefined
    ? new CaError(refusal, message)
    : Object.assign(new Error(message), code === undefined ? {} : { code });
