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

/**
 * Creates the missing parts of the CA. If several requests arrive at once, only one creates them.
 */
const ensure = (env: Env): Promise<unknown> =>
  authority.ca(env).ensure({
    root: { common_name: "Example Root" },
    roles: [
      { name: "web", key_type: "ec", allowed_domains: ["example.com"], allow_subdomains: true },
    ],
  });

export default {
  async fetch(request: Request, env: Env): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (authority.answers(pathname)) return authority.fetch(request, env);
    if (pathname !== "/certificate" || request.method !== "POST")
      return new Response("not found", { status: 404 });
    // add your own rules here for who may request certificates, and for which names
    await ensure(env);
    const { pki } = authority.ca(env);
    const leaf = await pki.issue({ role: "web", common_name: "www.example.com", ttl: "24h" });
    return Response.json({ certificate: leaf.certificate, private_key: leaf.private_key });
  },
};
