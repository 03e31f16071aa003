/// <reference path="../worker/cloudflare.d.ts" />
// Signs and issues inside the runtime, without requests or Durable Objects in between.
import { DurableObject } from "cloudflare:workers";
import { createCa, memoryStore } from "../src/index.ts";
import { certify } from "../src/pki/issuer/certify.ts";
import { leafRequest } from "./leaf.ts";

export class MountObject extends DurableObject<unknown> {}

async function prepared(): Promise<Readonly<Record<string, () => Promise<unknown>>>> {
  const { plan, template, serial, signer } = await leafRequest();
  const tbs = crypto.getRandomValues(new Uint8Array(500));
  const ca = createCa({ stores: memoryStore() });
  await ca.pki.generateRoot({ common_name: "Bench Root", key_type: "ec", ttl: "87600h" });
  await ca.pki.writeRole({
    name: "web",
    allowed_domains: "example.com",
    allow_subdomains: true,
    key_type: "ec",
  });
  let n = 0;
  return {
    raw: () => crypto.subtle.sign({ name: "ECDSA", hash: "SHA-256" }, signer, tbs),
    leaf: () => certify(plan, template, serial),
    issue: () => ca.pki.issue({ role: "web", common_name: `h${n++}.example.com` }),
  };
}
let kinds: Awaited<ReturnType<typeof prepared>> | undefined;

export default {
  async fetch(request: Request): Promise<Response> {
    const url = new URL(request.url);
    kinds ??= await prepared();
    const run = kinds[url.pathname.slice(1)];
    if (run === undefined) return new Response("unknown bench\n", { status: 404 });
    let left = Number(url.searchParams.get("count"));
    const lane = async (): Promise<void> => {
      while (left-- > 0) await run();
    };
    await Promise.all(Array.from({ length: 16 }, lane));
    return new Response("done\n");
  },
};
