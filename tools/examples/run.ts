import { createCa, memoryStore, type Ca, type Identity } from "../../src/index.ts";
import { varsApi } from "../../src/vars/index.ts";
import { certificates } from "./certificates.ts";
import { signingService } from "./signing-service.ts";
import { log } from "./log.ts";
import { logins } from "./logins.ts";
import { managed } from "./managed.ts";
import { openIdProvider, type ExampleProvider } from "./openid-provider.ts";
import { protocols } from "./protocols.ts";
import { sender, type GrantedRequest, type Send } from "./send.ts";
import { system } from "./system.ts";
import { variables } from "./variables.ts";

/** Time of all requests: 2030-01-02T03:04:05Z. */
const now = Date.UTC(2030, 0, 2, 3, 4, 5);
const [rootToken, variablesToken] = ["example-root-token", "example-variables-token"];
const root: Identity = { id: "root", policies: ["root"], can: () => true };

/** Returns a generator of bytes that look random but are the same in every run. */
function repeating(): (bytes: number) => Uint8Array {
  let state = 1;
  const next = (): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state >>> 24;
  };
  return (bytes) => Uint8Array.from({ length: bytes }, next);
}

/**
 * Returns an external policy whose template is a certificate that an authority in memory has
 * issued.
 */
async function policy(): Promise<NonNullable<Parameters<typeof createCa>[0]["externalPolicy"]>> {
  const drafts = createCa({ stores: memoryStore(), now: () => now });
  await drafts.pki.generateRoot({ common_name: "Drafts", key_type: "ec", ttl: "87600h" });
  await drafts.pki.writeRole({ name: "any", allow_any_name: true, key_type: "any", ttl: "24h" });
  return async ({ request_uuid, user_request_key_values: sent, vault_request_values: about }) => {
    const request = { csr: sent.csr, common_name: "www.example.com" };
    const draft = await (about.issuance_mode === "ica"
      ? drafts.pki.signIntermediate({ ...request, common_name: "Example Team" })
      : drafts.pki.sign({ ...request, role: "any" }));
    return {
      request_uuid,
      certificate: draft.certificate,
      issuer_ref: about.requested_issuer_id || "default",
      store_certificate: true,
      generate_lease: false,
    };
  };
}

/** Creates an empty authority that can reach an OpenID provider and a signing service. */
async function authority(
  provider: ExampleProvider,
  ports: Pick<Parameters<typeof createCa>[0], "stores" | "now">,
): Promise<Ca> {
  const signing = await signingService();
  return createCa({
    ...ports,
    sealingKey: new Uint8Array(32).fill(7),
    random: repeating(),
    authenticate: async (token) => (token === rootToken ? root : undefined),
    apis: [varsApi],
    vars: { token: variablesToken },
    publicUrl: "http://ca.example.com",
    externalPolicy: await policy(),
    fetch: (url, init) =>
      url.startsWith(provider.issuer) ? provider.fetch(url, init) : signing(url, init),
    // makes every challenge succeed
    challenger: async () => {},
  });
}

/** Sends all example requests to an authority, one after another. Rejects with the first error. */
export async function run(
  around = (send: Send): Send => send,
  stores = memoryStore(),
): Promise<readonly GrantedRequest[]> {
  const all: GrantedRequest[] = [];
  const tokens = { engine: rootToken, variables: variablesToken };
  const provider = await openIdProvider(now / 1000);
  // the clock stands still, unless the log needs another second
  let clock = now;
  const ca = await authority(provider, { stores, now: () => clock });
  const send = around(sender(ca, tokens, (came) => all.push(came)));
  await send("createMount", {
    path: "other",
    type: "pki",
    config: { max_lease_ttl: "87600h" },
  });
  await certificates(send);
  await system(send);
  await logins(send, provider);
  await protocols(send);
  await managed(send);
  await variables(send);
  await log(send, async () => {
    clock += 1000;
    await ca.tick();
  });
  return all;
}
