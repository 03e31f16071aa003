import * as pki from "../../api/endpoints/pki.ts";
import { can } from "../../api/openapi.ts";
import { missingPermission } from "../../api/permissions.ts";
import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../../lib/use-action.ts";
import type { Authority } from "../../api/issuer.ts";
import { Button } from "../../ui/button.tsx";
import { Digits } from "../../ui/digits.tsx";
import { Confirm } from "../../ui/form.tsx";
import { Badge } from "../../ui/icon.tsx";
import { Card, Facts, Failure, Ready } from "../../ui/page.tsx";
import { notify } from "../../ui/notify.tsx";
import { announceChange, changes } from "../../lib/changes.ts";
import { deleteResponder, makeResponder, responder, type Responder } from "./responder-calls.ts";
import { address } from "../../lib/route.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { requestedKeyText } from "../../lib/key-label.ts";
import { bareHex } from "../../lib/hex-text.ts";
import { date, distance } from "../../lib/time-text.ts";

/**
 * The card of an issuer's OCSP responder. Renders nothing if the issuer has no key, the server does
 * not support responders, or the token may not read them.
 */
export function ResponderCard({ one }: { one: Authority }): JSX.Element | null {
  const there = useLoad(() => can(pki.makeResponder), []);
  const id = { issuer_ref: one.record.issuer_id };
  if (there.value !== true || one.record.key_id === "") return null;
  if (missingPermission(pki.readResponder, id) !== "") return null;
  return <Shown one={one} />;
}

function Shown({ one }: { one: Authority }): JSX.Element {
  const id = one.record.issuer_id;
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(() => responder(id), [turn, id]);
  const [removing, remove] = useState(false);
  const act = useAct();
  const make = async (): Promise<void> => {
    const { warnings } = await makeResponder(id);
    announceChange();
    notify(`${one.name} has a new OCSP responder`, warnings);
  };
  const drop = async (): Promise<void> => {
    const { warnings } = await deleteResponder(id);
    announceChange();
    remove(false);
    notify(`${one.name} signs its OCSP responses itself`, warnings);
  };
  const signs = one.record.usage.includes("ocsp-signing");
  const may = signs && !one.record.revoked;
  // The value is undefined both before the first response and if there is no responder.
  const loaded = {
    ...result,
    ...(!result.busy && !result.error && { value: result.value ?? null }),
  };
  return (
    <Card title="OCSP responder">
      <Ready from={loaded}>
        {(stored) => (
          <>
            {stored ? (
              <ResponderFacts of={stored} />
            ) : (
              <p class="pad muted">
                {!signs && "This issuer is not allowed to sign OCSP responses."}
                {signs && "This issuer signs its OCSP responses itself."}
                {may && " A responder has its own key, so the CA’s key is used less."}
              </p>
            )}
            {act.error && <Failure error={act.error} />}
            {(stored !== null || may) && (
              <div class="pad actions">
                {may && (
                  <Button
                    tiny
                    lacks={missingPermission(pki.makeResponder, { issuer_ref: id })}
                    busy={act.busy}
                    press={() => act.run(make)}
                  >
                    {stored ? "Replace" : "Create responder"}
                  </Button>
                )}
                {stored && (
                  <Button
                    tiny
                    kind="danger"
                    lacks={missingPermission(pki.deleteResponder, { issuer_ref: id })}
                    press={() => remove(true)}
                  >
                    Remove…
                  </Button>
                )}
              </div>
            )}
          </>
        )}
      </Ready>
      {removing && (
        <Confirm
          title="Remove this responder?"
          close={() => remove(false)}
          action="Remove"
          work={drop}
        >
          <p>
            The responder’s key will be permanently deleted, and {one.name} will sign its OCSP
            responses itself. Cached responses stay valid until they expire. The responder’s
            certificate stays in the list and can be revoked.
          </p>
        </Confirm>
      )}
    </Card>
  );
}

function ResponderFacts({ of }: { of: Responder }): JSX.Element {
  const serial = bareHex(of.serial_number);
  const now = new Date();
  const [ends, next] = [new Date(of.not_after), new Date(of.next_renewal)];
  return (
    <Facts
      rows={[
        [
          "State",
          of.active ? (
            <Badge tone="ok" mark="check">
              Signs responses
            </Badge>
          ) : (
            <Badge tone="warn" mark="warn">
              Not in use: the CA signs responses
            </Badge>
          ),
        ],
        ["Key", requestedKeyText(of.key_type, of.key_bits)],
        ["Expires", `${date(ends)}, ${distance(ends, now)}`],
        [
          "Renewal",
          of.next_renewal
            ? `${date(next)}, ${distance(next, now)}`
            : "None: the certificate expires with its CA",
        ],
        [
          "Serial number",
          <a href={address("certificates", serial)}>
            <Digits of={serial} />
          </a>,
          true,
        ],
      ]}
    />
  );
}
