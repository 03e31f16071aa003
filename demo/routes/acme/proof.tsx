import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { decodePem } from "../../../src/base/pem.ts";
import { proofOf } from "./challenge-proof.ts";
import type { ObtainedCertificate, Session } from "./attempt.ts";
import { useAct } from "../../lib/use-action.ts";
import { readCertificate } from "../../lib/x509/decode.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { Code } from "../../ui/code.tsx";
import { Choice } from "../../ui/field.tsx";
import { Badge } from "../../ui/icon.tsx";
import { Card, Failure, Ready } from "../../ui/page.tsx";
import { save } from "../../ui/save.ts";
import { findChallengeType } from "../../lib/challenge-types.ts";
import { place } from "../../lib/place.ts";
import { announceChange } from "../../lib/changes.ts";
import { address } from "../../lib/route.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { date } from "../../lib/time-text.ts";
import { fileName } from "../../lib/file-name.ts";
import { visible } from "../../lib/visible-text.ts";

/** The proof that the user must provide, and the button that starts the validation. */
export function ProofCard({
  session,
  busy,
  reason,
  failed,
  go,
}: {
  session: Session;
  busy: boolean;
  /** The error of the last attempt if the server retries; empty otherwise. */
  reason: string;
  /** Whether the order has failed. */
  failed: boolean;
  go: (type: string) => void;
}): JSX.Element {
  const { challenges: offered, identifier } = session.authorization;
  const challenges = offered.filter((one) => findChallengeType(one.type));
  const [type, setType] = useState(challenges[0]?.type ?? "");
  const browser = useStore(place, ({ kind }) => kind === "browser");
  const chosen = challenges.find((one) => one.type === type);
  const proof = useLoad(
    async () => (chosen ? proofOf(session, chosen) : undefined),
    [session, type],
  );
  return (
    <Card title={`Prove control of ${visible(identifier.value)}`}>
      <div class="pad stack close">
        <Choice
          label="Challenge"
          value={type}
          change={setType}
          options={challenges.map((one) => [one.type, visible(one.type)] as const)}
        />
        {proof.value && (
          <>
            <p>{proof.value.about}</p>
            <Code text={proof.value.where} label="Location" wrap />
            <Code text={proof.value.what} label="Expected content" wrap />
          </>
        )}
        {browser && (
          <p class="muted">
            An authority in the browser has no network access. When you continue, you are asked at
            the top of the page to confirm the challenge.
          </p>
        )}
        {!failed && (
          <div class="actions">
            <Button kind="primary" busy={busy} press={() => go(type)}>
              Ready: continue
            </Button>
            {busy && (
              <span role="status">
                {reason
                  ? `Not validated: ${reason}. The server is trying again.`
                  : "The server is validating the challenge."}
              </span>
            )}
          </div>
        )}
      </div>
    </Card>
  );
}

/** The card with the obtained certificate. */
export function CertificateCard({
  session,
  got,
}: {
  session: Session;
  got: ObtainedCertificate;
}): JSX.Element {
  const [pem = ""] = got.chain.split(/(?<=-----END CERTIFICATE-----\n)/);
  const view = useLoad(() => readCertificate(pem), [pem]);
  const [revoked, setRevoked] = useState(false);
  const act = useAct();
  const revoke = async (): Promise<void> => {
    const [block] = decodePem(pem);
    if (block) await session.client.revoke(block.der);
    setRevoked(true);
    announceChange();
  };
  const file = fileName(session.name);
  return (
    <Card
      title="Issued with ACME"
      end={
        <Badge tone={revoked ? "danger" : "ok"} mark={revoked ? "ban" : "check"}>
          {revoked ? "Revoked" : "Issued"}
        </Badge>
      }
    >
      <Ready from={view}>
        {(one) => (
          <div class="pad stack close">
            <p role="status">
              {revoked
                ? `${one.title} was revoked through ACME.`
                : `${one.title}, expires ${date(one.ends)}. Its key was generated in this page, and is discarded when you leave this view.`}
            </p>
            {act.error && <Failure error={act.error} />}
            <div class="actions">
              <Button
                icon="down"
                press={() =>
                  save(
                    `${file}.key-and-chain.pem`,
                    "application/x-pem-file",
                    `${got.privateKey.trim()}\n${got.chain}`,
                  )
                }
              >
                Save key and chain
              </Button>
              <ButtonLink to={address("certificates", one.serial)}>Show certificate</ButtonLink>
              {!revoked && (
                <Button kind="danger" busy={act.busy} press={() => act.run(revoke)}>
                  Revoke with ACME
                </Button>
              )}
            </div>
          </div>
        )}
      </Ready>
    </Card>
  );
}
