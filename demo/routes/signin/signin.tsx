import type { JSX } from "preact";
import { Card, Head, Note } from "../../ui/page.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import {
  confirmPlace,
  connectOnly,
  pageLocation,
  place,
  placeName,
  wasRefused,
} from "../../lib/place.ts";
import { address } from "../../lib/route.ts";
import { useStore } from "../../lib/store.ts";
import { bareMount, wrongMount, type ServerAddress } from "../../lib/page-location.ts";
import { ConnectForm } from "../../ui/connect-form.tsx";

/** Asks for the token of the Worker in the page's address; then shows the requested view. */
export function SignIn(): JSX.Element {
  const where = useStore(place, (value) => value);
  if (where.base === "") return <NoWorker />;
  if (where.onlyNamed) return <Confirm {...where} />;
  const about = (
    <>
      The Worker at <code class="break">{where.base}</code>, mount <code>{where.mount}</code>.
      Tokens are not kept over a reload unless you choose it.
    </>
  );
  return (
    <>
      <Head title={`Sign in to ${placeName(where)}`} about={about} />
      <div class="narrow stack">
        {connectOnly && (
          <Note icon="lock">
            This Worker comes from the link you opened. Only enter a token if you trust it: its
            operator can use the token for everything it allows.
          </Note>
        )}
        {wasRefused() && (
          <Note tone="warn" icon="warn">
            The token stored in this tab was removed: it is invalid or has expired.
          </Note>
        )}
        <Card title="Sign in">
          <ConnectForm fixed={where.base} done={() => {}}>
            <ButtonLink to={address("settings")}>Connect to another</ButtonLink>
          </ConnectForm>
        </Card>
      </div>
    </>
  );
}

/** Asks to confirm a Worker from a link: the author of the link may operate it. */
function Confirm(where: ServerAddress): JSX.Element {
  const host = placeName(where);
  return (
    <>
      <Head title={`Is ${host} your authority?`} />
      <div class="narrow stack">
        <Note tone="warn" icon="warn">
          This link asks you to sign in at <strong class="break">{host}</strong>. Only continue if
          this is your server: its operator can use your token for everything it allows.
        </Note>
        <Card title="Address">
          <div class="pad stack">
            <p>
              <code class="break">{where.base}</code>
            </p>
            <div class="actions">
              <Button press={confirmPlace}>Continue to {host}</Button>
              <ButtonLink to={address("settings")}>Connect to another</ButtonLink>
            </div>
          </div>
        </Card>
      </div>
    </>
  );
}

/** Reports that the address names no Worker, or one that cannot be reached. */
function NoWorker(): JSX.Element {
  const query = new URLSearchParams(location.search);
  const mount = wrongMount(bareMount(query.get("mount") ?? ""));
  const named = mount === "" ? (query.get("at") ?? "") : "";
  return (
    <>
      <Head title="Connect to a Worker" />
      <div class="narrow stack">
        {mount !== "" && (
          <Note tone="warn" icon="warn">
            This link names the mount {mount}. No authority was opened.
          </Note>
        )}
        {named !== "" && (
          <Note tone="warn" icon="warn">
            This page cannot reach the Worker named in its link.{" "}
            {pageLocation.page === "connect" ? (
              "Tokens are only sent over https."
            ) : (
              <a href={`connect.html${location.search}${location.hash}`}>connect.html can</a>
            )}
          </Note>
        )}
        <Card title="Connect to a Worker">
          <ConnectForm done={() => {}} />
        </Card>
      </div>
    </>
  );
}
