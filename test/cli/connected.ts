import type { Connection } from "../../server/cli/connection.ts";
import { client, httpTransport, pki, sys, type Ca } from "../../src/index.ts";

/** Returns clients of an authority in this process, as commands have them for a server. */
export function connectedTo(ca: Ca, token = "root"): Connection {
  const send = httpTransport("http://ca.test", token, {
    fetch: ((input: string, init?: RequestInit) =>
      ca.fetch(new Request(input, init))) as typeof fetch,
  });
  return {
    name: "http://ca.test",
    send,
    sys: client(sys, "/v1/sys", send),
    mount: (path) => client(pki, `/v1/${path}`, send),
  };
}
