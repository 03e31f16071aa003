import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useAct } from "../lib/use-action.ts";
import { logIn, revokeUnused, tryConnection, visibleMethods } from "../api/connection.ts";
import { noCredentials, wrongCredentials, type Credentials } from "../lib/credentials.ts";
import { Button } from "./button.tsx";
import { Check, Text } from "./field.tsx";
import { Failure, Note } from "./page.tsx";
import { toast } from "./toast.tsx";
import { connect, pageLocation, place, placeName, type Place } from "../lib/place.ts";
import { useLoad } from "../lib/store.ts";
import { bareMount, readAddress, wrongMount } from "../lib/page-location.ts";
import { wrongToken } from "../lib/format.ts";
import { CredentialFields } from "./credentials-fields.tsx";

/** The errors of an entry; empty when valid. */
interface Wrong {
  readonly base: string;
  readonly mount: string;
  readonly varsToken: string;
  /** Errors of the sign-in fields, by name. */
  readonly given: Readonly<Record<string, string>>;
}
const nothing: Wrong = { base: "", mount: "", varsToken: "", given: {} };

/** Logs in if needed, and tests the connection. */
async function tried(to: Place, given: Credentials): Promise<Place> {
  if (given.way === "token") {
    await tryConnection(to);
    return to;
  }
  const made = { ...to, token: (await logIn(to, given)).client_token };
  try {
    await tryConnection(made);
  } catch (error) {
    await revokeUnused(made);
    throw error;
  }
  return made;
}

/** Address, mount and tokens of a server. `fixed`: the address, which cannot be changed. */
export function ConnectForm({
  fixed,
  done,
  children,
}: {
  fixed?: string;
  done: () => void;
  children?: JSX.Element | undefined | false;
}): JSX.Element {
  const where = place.get();
  const [base, setBase] = useState(
    fixed ??
      (where.kind === "worker" && where.base && !where.onlyNamed
        ? where.base
        : pageLocation.page === "connect"
          ? ""
          : pageLocation.origin),
  );
  const [mount, setMount] = useState(where.mount);
  const [given, setGiven] = useState(noCredentials);
  const [varsToken, setVarsToken] = useState("");
  const [keep, setKeep] = useState(false);
  const [wrong, setWrong] = useState(nothing);
  const act = useAct();
  const form = useRef<HTMLFormElement>(null);
  // Login methods are loaded only from a fixed server, not while an address is typed.
  const listed = useLoad(async () => (fixed === undefined ? [] : visibleMethods(where)), []);
  useEffect(() => {
    // Runs after the title has taken the focus of a navigation.
    if (fixed !== undefined)
      form.current
        ?.querySelector<HTMLInputElement>("input[type=password]")
        ?.focus({ preventScroll: true });
  }, []);
  const begin = (event: Event): void => {
    event.preventDefault();
    const read = readAddress(base, pageLocation);
    const why = {
      base: "why" in read ? read.why : "",
      mount: wrongMount(bareMount(mount)),
      varsToken: wrongToken(varsToken),
      given: wrongCredentials(given, varsToken.trim() === ""),
    };
    setWrong(why);
    // Local errors appear at once and replace the error of an earlier attempt.
    if ("why" in read || why.mount || why.varsToken || Object.keys(why.given).length > 0)
      return act.run(async () => undefined);
    const to = {
      base: read.base,
      mount: bareMount(mount),
      token: given.token.trim(),
      varsToken: varsToken.trim(),
    };
    act.run(async () => {
      const kept = connect(await tried({ kind: "worker", ...to, onlyNamed: false }, given), keep);
      toast(
        `Signed in to ${placeName(place.get())}${kept ? "" : ". This browser cannot store tokens: they stay in memory only"}`,
      );
      done();
    });
  };
  return (
    <form class="pad stack" ref={form} onSubmit={begin} noValidate>
      {fixed === undefined && <AddressField base={base} change={setBase} why={wrong.base} />}
      <Text label="Mount" value={mount} change={setMount} error={wrong.mount} mono />
      <CredentialFields
        given={given}
        listed={listed.value ?? []}
        wrong={wrong.given}
        change={setGiven}
      />
      <Text
        label="Token of the variables API"
        type="password"
        value={varsToken}
        change={setVarsToken}
        error={wrong.varsToken}
        hint="Only needed for Variables, which has its own tokens. Stored like the other token."
      />
      <Check
        label="Keep the tokens until this tab closes"
        hint="Stored in the tab’s session storage, so they survive a reload."
        checked={keep}
        change={setKeep}
      />
      {act.error && <Failure error={act.error} />}
      <div class="actions">
        <Button kind="primary" submit busy={act.busy}>
          {fixed === undefined ? "Connect" : "Sign in"}
        </Button>
        {children}
      </div>
    </form>
  );
}

function AddressField({
  base,
  change,
  why,
}: {
  base: string;
  change: (value: string) => void;
  why: string;
}): JSX.Element {
  return (
    <>
      <Text
        label="Address"
        type="url"
        complete="url"
        placeholder="https://ca.example.net"
        value={base}
        change={change}
        error={why && why !== "elsewhere" ? why : undefined}
      />
      {why === "elsewhere" && (
        <Note tone="warn" icon="warn">
          This page can only reach its own origin. <a href="connect.html">connect.html</a> can reach
          other servers and has no authority of its own.
        </Note>
      )}
    </>
  );
}
