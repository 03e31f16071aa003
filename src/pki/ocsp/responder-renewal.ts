import { issuersById, respondersById, type IssuerRow, type ResponderRow } from "../rows/records.ts";
import { equalBytes } from "../../base/bytes.ts";
import type { Job } from "../../engine/deployment.ts";
import { jobRow } from "../../engine/jobs.ts";
import type { Mount } from "../../engine/mount.ts";
import { responderCertificate } from "../issuer/stored-certificate.ts";
import { isRevoked } from "./delegate.ts";
import {
  delegatingIssuer,
  newResponder,
  newResponderKey,
  renewalAt,
  responderJob,
} from "./responder-certificate.ts";

/** Delay before the next check while the issuer may not sign responses (ms). */
const patience = 86_400_000;

/**
 * The job that renews the key and certificate of an issuer's responder before the certificate
 * expires. It does not renew responders that were deleted or revoked, or whose issuer is revoked.
 * While the issuer has no key or lacks the `ocsp-signing` usage, the job checks daily whether it
 * can renew.
 */
export const responderRenewal: Job = {
  kind: responderJob,
  of: "mount",
  budget: 1,
  step: async (mount, id) => {
    const config = await mount.config();
    const [responder, issuer] = [
      config.get(respondersById).get(id),
      config.get(issuersById).get(id),
    ];
    if (!responder || !issuer || issuer.revoked !== undefined) return;
    const now = mount.ports.now();
    const [at, certificate] = [renewalAt(issuer, responder), responderCertificate(responder)];
    if (at === undefined || (certificate && (await isRevoked(mount, certificate.serial)))) return;
    const isAble = issuer.usage.includes("ocsp-signing") && issuer.key_id !== "";
    if (now >= at && isAble) await renew(mount, issuer, responder);
    else {
      const due = now < at ? at : now + patience;
      await mount.storeContext.commit({ put: [jobRow({ due, now }, responderJob, id)] });
    }
  },
};

async function renew(mount: Mount, { id }: IssuerRow, responder: ResponderRow): Promise<void> {
  const key = await newResponderKey(mount, responder.key.type, responder.key.bits);
  await mount.configure(
    async (config) => {
      const current = config.get(respondersById).get(id);
      // the responder was replaced or deleted concurrently
      if (!current || !equalBytes(current.der, responder.der)) return { reply: undefined };
      const issuer = await delegatingIssuer(mount, config, id);
      const { batch, done } = await newResponder(mount, config, issuer, key);
      return { reply: undefined, batch, done };
    },
    { exact: true },
  );
}
