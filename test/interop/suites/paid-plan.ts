import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";

/** A proxy that listens on its own port. */
export interface Proxy {
  readonly url: string;
  close(): void;
}

const featureSets = { data: [{ type: "feature-sets", id: "fs-paid" }] };

/** Returns the reply to a call with which an administrator gives an organization a paid plan. */
function planReply(method: string, path: string): object | undefined {
  if (method === "GET" && path === "/api/v2/admin/feature-sets") return featureSets;
  if (method === "POST" && /^\/api\/v2\/admin\/organizations\/[^/]+\/subscription$/.test(path))
    return {};
  return undefined;
}

/**
 * Starts a proxy that answers the calls with which an administrator gives an organization a paid
 * plan, and forwards all others to the server at `target`, which has no plans.
 */
export async function startPlanProxy(target: string): Promise<Proxy> {
  const { hostname, port } = new URL(target);
  const server = createServer((incoming, reply) => {
    const { method = "GET", url = "/", headers } = incoming;
    const plan = planReply(method, url.split("?")[0] ?? "");
    if (plan !== undefined) {
      reply.setHeader("Content-Type", "application/vnd.api+json").end(JSON.stringify(plan));
      return;
    }
    const outgoing = request({ hostname, port, method, path: url, headers }, (answer) => {
      reply.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(reply);
    });
    outgoing.once("error", () => reply.destroy());
    incoming.pipe(outgoing);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}
