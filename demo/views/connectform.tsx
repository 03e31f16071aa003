import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useAct } from "../act.ts";
import { tryConnection } from "../api.ts";
import { Button } from "../parts/button.tsx";
import { Check, Text } from "../parts/field.tsx";
import { Failure, Note } from "../parts/page.tsx";
import { toast } from "../parts/toast.tsx";
import { connect, lying, place, placeName } from "../place.ts";
import { bareMount, readAddress, wrongMount } from "../where.ts";
import { wrongToken } from "../words.ts";

/** What is wrong with an entry; empty where nothing is. */
interface Wrong {
  readonly base: string;
  readonly mount: string;
  readonly token: string;
  readonly varsToken: string;
}

/** Address, mount and tokens of a Worker. `fixed`: the Worker at this address and no other. */
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
        : lying.page === "connect"
          ? ""
          : lying.origin),
  );
  const [mount, setMount] = useState(where.mount);
  const [token, setToken] = useState("");
  const [varsToken, setVarsToken] = useState("");
  const [keep, setKeep] = useState(false);
  const [wrong, setWrong] = useState<Wrong>({ base: "", mount: "", token: "", varsToken: "" });
  const act = useAct();
  const form = useRef<HTMLFormElement>(null);
  useEffect(() => {
    // After the title, which takes the focus on a navigation.
    if (fixed !== undefined)
      form.current
        ?.querySelector<HTMLInputElement>("input[type=password]")
        ?.focus({ preventScroll: true });
  }, []);
  const begin = (event: Event): void => {
    event.preventDefault();
    const read = readAddress(base, lying);
    const why = {
      base: "why" in read ? read.why : "",
      mount: wrongMount(bareMount(mount)),
      token: token.trim() === "" && varsToken.trim() === "" ? noToken : wrongToken(token),
      varsToken: wrongToken(varsToken),
    };
    setWrong(why);
    // Nothing to do is done at once, and takes away what was said of an earlier try.
    if ("why" in read || why.mount || why.token || why.varsToken)
      return act.run(async () => undefined);
    const to = {
      base: read.base,
      mount: bareMount(mount),
      token: token.trim(),
      varsToken: varsToken.trim(),
    };
    act.run(async () => {
      await tryConnection({ kind: "worker", ...to, onlyNamed: false });
      const kept = connect(to, keep);
      toast(
        `Signed in to ${placeName(place.get())}${kept ? "" : ". This browser keeps no tokens: they are kept in memory only"}`,
      );
      done();
    });
  };
  return (
    <form class="pad stack" ref={form} onSubmit={begin} noValidate>
      {fixed === undefined && <AddressField base={base} change={setBase} why={wrong.base} />}
      <Text label="Mount" value={mount} change={setMount} error={wrong.mount} mono />
      <Text
        label="Token"
        type="password"
        complete="current-password"
        value={token}
        change={setToken}
        error={wrong.token}
        hint="Printed at the first start, kept in data/root-token. Kept here in memory until this page is closed or loaded again. Pasting and password managers work."
      />
      <Text
        label="Token of the variables API"
        type="password"
        value={varsToken}
        change={setVarsToken}
        error={wrong.varsToken}
        hint="Only needed for Variables, which has its own tokens. Kept like the other."
      />
      <Check
        label="Keep the tokens until this tab closes"
        hint="Survives a reload, in the tab’s session storage."
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

const noToken =
  "A token is needed: the one that the server printed at its first start, or one that was made for you";

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
          This page speaks to its own origin only. <a href="connect.html">connect.html</a> speaks to
          Workers elsewhere and keeps no authority of its own.
        </Note>
      )}
    </>
  );
}
