import clocked from "../../worker/build/clocked.ts";
import type { Env } from "../../worker/index.ts";
import { remoteStore } from "../../worker/store.ts";
import type { Batch } from "../../src/engine/ports.ts";

export { MountObject } from "../../worker/index.ts";

/** A test Worker whose clock can be set, and whose stores can be read and written. */
export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const url = new URL(request.url);
    if (url.pathname !== "/test/rows") return clocked.fetch(request, env);
    const name = url.searchParams.get("store") ?? "";
    const store = remoteStore(() => env.MOUNT.get(env.MOUNT.idFromName(name)), name);
    if (request.method === "PUT") {
      const batch: Batch = await request.json();
      return Response.json({ done: (await store.commit(batch)) !== undefined });
    }
    const [row] = await store.get([url.searchParams.get("key") ?? ""]);
    return Response.json(row?.value ?? {});
  },
};
