/// <reference path="../worker/cloudflare.d.ts" />
// The Worker, and a path by which rows come into the store of a mount at once.
import worker, { type Env } from "../worker/index.ts";
import { remoteStore } from "../worker/store.ts";
import { seedCertificates, seedRevoked } from "./revoked.ts";

export { MountObject } from "../worker/index.ts";

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const url = new URL(request.url);
    if (url.pathname !== "/seed") return worker.fetch(request, env);
    const { searchParams } = url;
    const name = searchParams.get("store") ?? "";
    const number = (one: string): number => Number(searchParams.get(one) ?? 0);
    const store = remoteStore(() => env.MOUNT.get(env.MOUNT.idFromName(name)), name);
    if (searchParams.has("not_after"))
      await seedCertificates(store, {
        count: number("count"),
        notAfter: number("not_after"),
        revoked: searchParams.get("revoked") !== "false",
      });
    else await seedRevoked(store, { count: number("count"), shards: number("shards") });
    return new Response("done\n");
  },
};
