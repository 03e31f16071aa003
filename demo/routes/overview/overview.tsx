import type { JSX } from "preact";
import { useEffect, useLayoutEffect, useState } from "preact/hooks";
import { authorities } from "../../api/issuer-tree.ts";
import type { Authority } from "../../api/issuer.ts";
import * as pki from "../../api/endpoints/pki.ts";
import { missingPermission, useAcl } from "../../api/permissions.ts";
import { isUnlimited } from "../../lib/unlimited-acl.ts";
import { lazy } from "../../ui/lazy.tsx";
import { changes } from "../../lib/changes.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { CreateIssuingCa } from "../../ui/issuer/create-issuing-ca.tsx";
import { TermText } from "../../ui/term.tsx";
import { Card, Empty, Head, Ready } from "../../ui/page.tsx";
import { place } from "../../lib/place.ts";
import { address, redirect, route } from "../../lib/route.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { serviceWorker } from "../../lib/service-worker.ts";
import { Forecast } from "./forecast.tsx";
import { isLeftEmpty, leaveEmpty } from "../../lib/left-empty.ts";
import { NeedsAction } from "./needs-action.tsx";
import { summary } from "./pending-actions.ts";
import { Tree } from "./tree.tsx";
import { usePending } from "./use-pending.ts";

const AddAuthority = lazy<{ all: readonly Authority[]; close: () => void }>(
  async () => (await import("../../ui/issuer/add-issuer.tsx")).AddAuthority,
);
const Permitted = lazy(async () => (await import("./permitted.tsx")).Permitted);
const ImportAuthority = lazy<{ close: () => void }>(
  async () => (await import("./import-issuer.tsx")).ImportAuthority,
);

/**
 * The overview: pending actions, the expiry forecast, and the tree of CAs on a common time axis.
 */
export function Overview(): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const where = useStore(place, (value) => value);
  const isEmpty = useStore(route, (value) => value.query.has("empty"));
  const all = useLoad(authorities, [turn, where]);
  const [dialog, setDialog] = useState<"" | "add" | "import">("");
  const close = (): void => setDialog("");
  const none = all.value?.length === 0;
  const failure = useStore(serviceWorker, (value) => value.failure);
  useLayoutEffect(() => {
    if (isEmpty) leaveEmpty(where.mount);
  }, [isEmpty]);
  useEffect(() => {
    // The start view explains why this window cannot store a CA, and what works without a CA. It
    // replaces this view in the history, so that Back leads to the previous page.
    if ((none || failure) && !isLeftEmpty(where.mount) && where.kind === "browser")
      redirect(address("start"));
  }, [none, failure]);
  const now = new Date();
  const acl = useAcl();
  const lacksAdd = missingPermission(pki.generateRoot, { exported: "internal" });
  const lacksImport = missingPermission(pki.importBundle);
  const counts = missingPermission(pki.searchCerts) === "";
  const some = all.value !== undefined && !none;
  const { counted, pending } = usePending(all.value, counts);
  return (
    <>
      <Head
        title="Overview"
        about={
          all.value && some
            ? summary(
                all.value.length,
                pending.issuers.length,
                pending.certificates,
                pending.otherMount !== undefined,
              )
            : undefined
        }
      />
      <Ready from={all}>
        {(forecast) => (
          <div class="stack">
            {acl && !isUnlimited(acl) && <Permitted hasPrimary={forecast.length > 0} />}
            <NeedsAction {...pending} now={now} />
            <CreateIssuingCa all={forecast} create={() => setDialog("add")} />
            <Card
              title="Authorities"
              footer={
                forecast.length > 0 && (
                  <>
                    <p>
                      <TermText of="issuer" />
                    </p>
                    <p>
                      <TermText of="standard" />
                    </p>
                  </>
                )
              }
              end={
                <>
                  <Button tiny lacks={lacksImport} press={() => setDialog("import")}>
                    Import…
                  </Button>
                  <Button tiny icon="plus" lacks={lacksAdd} press={() => setDialog("add")}>
                    Add authority
                  </Button>
                </>
              }
            >
              {forecast.length === 0 ? (
                <Empty text="No authorities yet. An authority signs certificates.">
                  <Button
                    kind="primary"
                    icon="plus"
                    lacks={lacksAdd}
                    press={() => setDialog("add")}
                  >
                    Create a root
                  </Button>
                  <ButtonLink to={address("start")} lacks={lacksAdd}>
                    Use a template
                  </ButtonLink>
                </Empty>
              ) : (
                <Tree all={forecast} now={now} />
              )}
            </Card>
            {forecast.length > 0 && counts && <Forecast counted={counted} now={now} />}
          </div>
        )}
      </Ready>
      {dialog === "add" && <AddAuthority all={all.value ?? []} close={close} />}
      {dialog === "import" && <ImportAuthority close={close} />}
    </>
  );
}
