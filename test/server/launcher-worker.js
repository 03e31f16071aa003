// A small Worker that shows what the launcher gives to the real one.
import { DurableObject } from "cloudflare:workers";

export class MountObject extends DurableObject {
  async add(row) {
    const rows = [...((await this.ctx.storage.get("rows")) ?? []), row];
    await this.ctx.storage.put("rows", rows);
    return rows.length;
  }

  /** The first key it was told. */
  async key(key) {
    const first = (await this.ctx.storage.get("key")) ?? key;
    await this.ctx.storage.put("key", first);
    return first;
  }

  async rows() {
    return (await this.ctx.storage.get("rows")) ?? [];
  }
}

async function kv(env) {
  await env.PUBLISHED.put("a/b c%", "kept");
  await env.PUBLISHED.put("gone", new Uint8Array([1, 2]), { expirationTtl: 60 });
  const before = [
    await env.PUBLISHED.get("a/b c%"),
    new Uint8Array(await env.PUBLISHED.get("gone", "arrayBuffer")).length,
  ];
  await env.PUBLISHED.delete("gone");
  return [...before, await env.PUBLISHED.get("gone")];
}

export default {
  async fetch(request, env) {
    const url = new URL(request.url);
    const object = env.MOUNT.get(env.MOUNT.idFromName("one"));
    if (url.pathname === "/add") return new Response(String(await object.add(url.search)));
    if (url.pathname === "/rows") return Response.json(await object.rows());
    // the key itself stands in for what the real one seals under it
    if (url.pathname === "/v1/sys/seal-status")
      return Response.json({ sealed: (await object.key(env.SEALING_KEY)) !== env.SEALING_KEY });
    if (url.pathname === "/kv") return Response.json(await kv(env));
    if (url.pathname.startsWith("/demo")) return env.ASSETS.fetch(request);
    const variables = Object.fromEntries(
      Object.entries(env).filter(([, value]) => typeof value === "string"),
    );
    const globals = [typeof process, typeof Buffer];
    return Response.json({
      method: request.method,
      url: request.url,
      headers: Object.fromEntries(request.headers),
      cf: request.cf,
      variables,
      globals,
    });
  },
};
