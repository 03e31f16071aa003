import { createCa } from "sealwright";
import { indexedDbKey, indexedDbStore } from "sealwright/indexeddb";

const name = "example-authority";
const ca = createCa({ stores: indexedDbStore(name), sealingKey: await indexedDbKey(name) });

// one tab makes the hierarchy; others that open at the same time wait for it
await navigator.locks.request(name, async () => {
  if (await ca.pki.listRoles().catch(() => undefined)) return;
  await ca.pki.generateRoot({ common_name: "Browser Root", key_type: "ec", ttl: "87600h" });
  const { csr } = await ca.pki.generateIntermediate({
    common_name: "Browser Intermediate",
    key_type: "ec",
  });
  const signed = await ca.pki.signIntermediate({ csr, ttl: "43800h" });
  const { imported_issuers } = await ca.pki.setSigned({ certificate: signed.certificate });
  await ca.pki.writeIssuersConfig({ default: imported_issuers?.[0] ?? "" });
  const names = { allowed_domains: ["example.com"], allow_subdomains: true };
  await ca.pki.writeRole({ name: "web", key_type: "ec", ...names });
});
// lists that came due while no tab was open are signed now
await ca.tick();

const form = document.querySelector("form");
const shown = document.querySelector("output");
async function show(): Promise<void> {
  const found = await ca.pki.listCerts().catch(() => undefined);
  if (shown) shown.textContent = (found?.keys ?? []).join("\n");
}
form?.addEventListener("submit", async (event) => {
  event.preventDefault();
  const name = new FormData(form).get("name");
  try {
    await ca.pki.issue({ role: "web", common_name: typeof name === "string" ? name : "" });
    await show();
  } catch (error) {
    if (shown) shown.textContent = error instanceof Error ? error.message : "it failed";
  }
});
await show();
