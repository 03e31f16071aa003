import { createCa } from "sealwright";
import { indexedDbKey, indexedDbStore } from "sealwright/indexeddb";

const name = "example-authority";
const ca = createCa({ stores: indexedDbStore(name), sealingKey: await indexedDbKey(name) });

// creates the missing parts of the CA; other tabs that open at the same time wait
await ca.ensure({
  root: { common_name: "Browser Root" },
  intermediate: { common_name: "Browser Intermediate" },
  roles: [
    { name: "web", key_type: "ec", allowed_domains: ["example.com"], allow_subdomains: true },
  ],
});
// CRLs that came due while no tab was open are signed now
await ca.tick();

const form = document.querySelector("form");
const shown = document.querySelector("output");
async function show(): Promise<void> {
  const { keys } = await ca.pki.listCerts();
  if (shown) shown.textContent = keys.join("\n");
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
