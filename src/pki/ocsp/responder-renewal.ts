import { equalBytes } from "../../base/bytes.ts";
import type { Job } from "../../engine/deployment.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { Mount } from "../../engine/mount.ts";
import type { IssuerRow, ResponderRow } from "../../engine/records.ts";
import { responderCertificate } from "../issuer/stored-certificate.ts";
import { isRevoked } from "./delegate.ts";
import {
  delegatingIssuer,
  newResponder,
  newResponderKey,
  renewalAt,
  responderJob,
} from "./responder-certificate.ts";

/** How long a responder waits whose issuer may not sign answers at the moment, milliseconds. */
const patience = 86_400_000;

/**
 * Gives an issuer's responder a new key and certificate before the old one ends. None is renewed
 * that was taken away or revoked, or whose issuer is; while the issuer lacks the usage or its key,
 * it is looked at again each day.
 */
export const responderRenewal: Job = {
  kind: responderJob,
  of: "mount",
  budget: 1,
  step: async (ca, id) => {
    const config = await ca.config();
    const [held, issuer] = [config.responders.get(id), config.issuers.get(id)];
    if (!held || !issuer || issuer.revoked !== undefined) return;
    const now = ca.ports.now();
    const [at, certificate] = [renewalAt(issuer, held), responderCertificate(held)];
    if (at === undefined || (certificate && (await isRevoked(ca, certificate.serial)))) return;
    const isAble = issuer.usage.includes("ocsp-signing") && issuer.key_id !== "";
    if (now >= at && isAble) await renew(ca, issuer, held);
    else {
      const due = now < at ? at : now + patience;
      await ca.storeContext.commit({ put: [jobRow({ due, now }, responderJob, id)] });
    }
  },
};

async function renew(ca: Mount, { id }: IssuerRow, held: ResponderRow): Promise<void> {
  const key = await newResponderKey(ca, held.key.type, held.key.bits);
  await ca.configure(
    async (config) => {
      const current = config.responders.get(id);
      // meanwhile another was made, or it was taken away
      if (!current || !equalBytes(current.der, held.der)) return { reply: undefined };
      const issuer = await delegatingIssuer(ca, config, id);
      const { batch, done } = await newResponder(ca, config, issuer, key);
      return { reply: undefined, batch, done };
    },
    { exact: true },
  );
}
