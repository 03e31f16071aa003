import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { encodePem, type PemBlock } from "../../../src/base/pem.ts";
import { revokeWithKey } from "../../api/endpoints/pki.ts";
import { useMissingPermission } from "../../api/permissions.ts";
import type { CertificateView } from "../../lib/x509/decode.ts";
import { address } from "../../lib/route.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Revoke } from "../../ui/issuer/revoke.tsx";

/** The actions for a certificate of this mount. `secret` is its private key, if the page has it. */
export function OwnCertificate({
  view,
  secret,
}: {
  view: CertificateView;
  secret: PemBlock | undefined;
}): JSX.Element {
  const lacks = useMissingPermission(revokeWithKey);
  const [revoking, setRevoking] = useState(false);
  return (
    <div class="pad actions from-start">
      <ButtonLink tiny to={address("certificates", view.serial)}>
        Show this certificate
      </ButtonLink>
      {secret && (
        <Button tiny kind="danger" lacks={lacks} press={() => setRevoking(true)}>
          Revoke with this key…
        </Button>
      )}
      {revoking && secret && (
        <Revoke
          view={view}
          privateKey={encodePem(secret.label, secret.der)}
          close={() => setRevoking(false)}
        />
      )}
    </div>
  );
}
