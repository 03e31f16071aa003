import type { ComponentChildren, JSX } from "preact";
import { useEffect } from "preact/hooks";
import { dropResponse, finishSignIn, receivedResponse } from "../../api/oidc-sign-in.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { ConnectForm, finishConnection } from "../../ui/connect-form.tsx";
import { Mark } from "../../ui/icon.tsx";
import { Failure, Heading, Note } from "../../ui/page.tsx";
import {
  confirmPlace,
  connectOnly,
  here,
  pageLocation,
  place,
  placeName,
  sandboxed,
  wasRefused,
} from "../../lib/place.ts";
import { bareMount, searchOf, wrongMount, type ServerAddress } from "../../lib/page-location.ts";
import { address } from "../../lib/route.ts";
import { useStore } from "../../lib/store.ts";
import { useAct } from "../../lib/use-action.ts";

/** The view that asks for credentials for the current server, and then shows the requested view. */
export function SignIn(): JSX.Element {
  const where = useStore(place, (value) => value);
  const { busy, error } = useProviderResponse();
  if (where.base === "") return <NoServer error={error} />;
  if (where.onlyNamed) return <Confirm {...where} />;
  return (
    <Page
      title={`Sign in to ${placeName(where)}`}
      about={
        // the title contains the host; if the server comes from a link, also show the scheme
        connectOnly && (
          <>
            The server at <code class="break">{where.base}</code>
          </>
        )
      }
    >
      {connectOnly && (
        <Note icon="lock">
          The address of this server comes from the link that you opened. Enter a token only if you
          trust the server: its operator can do everything that the token allows.
        </Note>
      )}
      {wasRefused() && (
        <Note tone="warn" icon="warn">
          The token that was stored in this tab is invalid or has expired, and was removed.
        </Note>
      )}
      {error && <Failure error={error} />}
      {busy ? (
        <p role="status" aria-busy="true">
          Signing you in…
        </p>
      ) : (
        <div class="card">
          <ConnectForm fixed={where.base} done={dropResponse} />
        </div>
      )}
    </Page>
  );
}

/** The frame of the sign-in view, with links to the views that require no sign-in. */
function Page({
  title,
  about,
  children,
}: {
  title: string;
  about?: ComponentChildren;
  children: ComponentChildren;
}): JSX.Element {
  return (
    <div class="signin stack">
      <p class="brand">
        <Mark />
        Sealwright
      </p>
      <div>
        <Heading title={title} />
        {about && <p class="muted">{about}</p>}
      </div>
      {children}
      <p class="small muted elsewhere">
        <a href={address("settings")}>Connect to another server</a>
        <a href={address("variables")}>Variables</a>
        <a href={address("inspect")}>Inspect a file</a>
        <a href={address("api")}>API reference</a>
        {sandboxed && (
          <a href={`${searchOf(here, pageLocation)}${address("start")}`}>Try it in this browser</a>
        )}
      </p>
    </div>
  );
}

/** Finishes a sign-in if there is a response from an identity provider. */
function useProviderResponse(): { readonly busy: boolean; readonly error: Error | undefined } {
  const { pending, response, failure } = useStore(receivedResponse, (value) => value);
  const act = useAct();
  useEffect(() => {
    if (!pending || !response) return;
    // Process the response only once, even if this view is rendered again.
    receivedResponse.set({ response: undefined });
    act.run(async () => {
      finishConnection(await finishSignIn(place.get(), pending, response), pending.keep);
      dropResponse();
    });
  }, [response]);
  return {
    busy: act.busy || response !== undefined,
    error: act.error ?? (failure === "" ? undefined : new Error(failure)),
  };
}

/**
 * Asks whether to trust the server that a link specifies. The author of the link may operate that
 * server.
 */
function Confirm(where: ServerAddress): JSX.Element {
  const host = placeName(where);
  return (
    <Page title={`Is ${host} your authority?`}>
      <Note tone="warn" icon="warn">
        This link asks you to sign in at <strong class="break">{host}</strong>. Only continue if
        this is your server: its operator can use your token for everything it allows.
      </Note>
      <div class="card pad stack">
        <p>
          <code class="break">{where.base}</code>
        </p>
        <div class="actions">
          <Button press={confirmPlace}>Continue to {host}</Button>
          <ButtonLink to={address("settings")}>Connect to another server</ButtonLink>
        </div>
      </div>
    </Page>
  );
}

/** The notice shown if the page's URL specifies no server, or one that the page cannot reach. */
function NoServer({ error }: { error: Error | undefined }): JSX.Element {
  const query = new URLSearchParams(location.search);
  const mount = wrongMount(bareMount(query.get("mount") ?? ""));
  const named = mount === "" ? (query.get("at") ?? "") : "";
  return (
    <Page title="Connect to a server">
      {mount !== "" && (
        <Note tone="warn" icon="warn">
          This link names the mount {mount}. No authority was opened.
        </Note>
      )}
      {named !== "" && (
        <Note tone="warn" icon="warn">
          This page cannot reach the server that the link names.{" "}
          {pageLocation.page === "connect" ? (
            "Tokens are sent only over https."
          ) : (
            <a href={`connect.html${location.search}${location.hash}`}>Use connect.html instead</a>
          )}
        </Note>
      )}
      {error && <Failure error={error} />}
      <div class="card">
        <ConnectForm done={dropResponse} />
      </div>
    </Page>
  );
}
