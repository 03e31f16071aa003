import { sealwrightWorker } from "sealwright/worker";

interface Env {
  readonly SEALING_KEY: string;
  readonly SERVICE_ROOT_TOKEN: string;
}
const authority = sealwrightWorker<Env>({
  binding: "CA",
  prefix: "/ca",
  options: () => ({ publicUrl: "https://example.com/ca" }),
});
export const CaObject = authority.MountObject;

/** The first request that needs an authority makes it. */
async function prepared(env: Env): Promise<void> {
  const { pki } = authority.ca(env);
  if (await pki.listRoles().catch(() => undefined)) return;
  await pki.generateRoot({
    issuer_name: "root", // of two first requests at once, one is refused
    common_name: "Example Root",
    key_type: "ec",
    ttl: "87600h",
  });
  const names = { allowed_domains: ["example.com"], allow_subdomains: true };
  await pki.writeRole({ name: "web", key_type: "ec", ...names });
}

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (authority.answers(pathname)) return authority.fetch(request, env);
    if (pathname !== "/certificate" || request.method !== "POST")
      return new Response("not found", { status: 404 });
    // your own rules say who may ask, and for which name
    await prepared(env);
    const { pki } = authority.ca(env);
    const leaf = await pki.issue({ role: "web", common_name: "www.example.com", ttl: "24h" });
    return Response.json({ certificate: leaf.certificate, private_key: leaf.private_key });
  },
};
