/** A connection with numbered calls, and events between their responses. */
export interface Connection {
  call<T>(method: string, params?: object): Promise<T>;
  close(): void;
}

interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: unknown;
  readonly error?: unknown;
  readonly message?: string;
}

/** Tracks the pending calls of a connection. */
export function calls(write: (text: string) => void): {
  call<T>(method: string, params?: object): Promise<T>;
  /** Handles a message; returns false if it is not a response. */
  take(message: Message): boolean;
  fail(why: string): void;
} {
  const asked = new Map<
    number,
    { readonly resolve: (result: unknown) => void; readonly reject: (error: Error) => void }
  >();
  let last = 0;
  return {
    call<T>(method: string, params: object = {}) {
      const id = ++last;
      const answer = new Promise<unknown>((resolve, reject) => asked.set(id, { resolve, reject }));
      write(JSON.stringify({ id, method, params }));
      // the protocol defines the type of a response
      return answer as Promise<T>;
    },
    take({ id, result, error, message }) {
      const answer = id === undefined ? undefined : asked.get(id);
      if (id === undefined || !answer) return false;
      asked.delete(id);
      if (error) answer.reject(new Error(JSON.stringify([error, message])));
      else answer.resolve(result);
      return true;
    },
    fail(why) {
      for (const { reject } of asked.values()) reject(new Error(why));
      asked.clear();
    },
  };
}

/** Connects to a browser. `event` is called for messages that are not responses. */
export async function connect(
  url: string,
  event: (message: Message) => void = () => undefined,
): Promise<Connection> {
  const socket = new WebSocket(url);
  await new Promise((done, failed) => {
    socket.addEventListener("open", done);
    socket.addEventListener("error", () => failed(new Error(`cannot connect to ${url}`)));
  });
  const { call, take, fail } = calls((text) => socket.send(text));
  socket.addEventListener("message", ({ data }) => {
    const message = JSON.parse(String(data)) as Message;
    if (!take(message)) event(message);
  });
  socket.addEventListener("close", () => fail("the browser has ended"));
  return { call, close: () => socket.close() };
}
