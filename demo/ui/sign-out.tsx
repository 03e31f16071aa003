import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../lib/use-action.ts";
import { Button } from "./button.tsx";
import { FormDialog } from "./form.tsx";
import { toast } from "./toast.tsx";
import { place, placeName, signOut } from "../lib/place.ts";
import { fetchSelf, cachedSelf, revokeSelf, tokenOwner } from "../api/token-self.ts";

/**
 * The button that signs out. It offers to revoke the token, which would otherwise remain usable by
 * anyone who has a copy. That is not the default, because it also revokes certificates with leases.
 */
export function SignOut({ tiny = false }: { tiny?: boolean }): JSX.Element {
  const act = useAct();
  const [asking, setAsking] = useState(false);
  const leave = (): void => {
    const name = placeName(place.get());
    signOut();
    toast(`Signed out of ${name}`);
  };
  const begin = async (): Promise<void> => {
    // If the token lookup fails, sign out without asking.
    const self = cachedSelf(tokenOwner.get()) ?? (await fetchSelf().catch(() => undefined));
    if (self?.accessor) setAsking(true);
    else leave();
  };
  return (
    <>
      <Button tiny={tiny} busy={act.busy} press={() => act.run(begin)}>
        Sign out
      </Button>
      {asking && <SignOutDialog close={() => setAsking(false)} leave={leave} />}
    </>
  );
}

function SignOutDialog({ close, leave }: { close: () => void; leave: () => void }): JSX.Element {
  const act = useAct();
  const revoke = (): void =>
    act.run(async () => {
      await revokeSelf();
      leave();
    });
  return (
    <FormDialog
      title={`Sign out of ${placeName(place.get())}?`}
      writes={false}
      close={close}
      act={act}
      action="Sign out"
      submit={leave}
      more={
        <Button kind="danger" press={revoke}>
          Sign out and revoke
        </Button>
      }
      out={
        <Button first press={close}>
          Cancel
        </Button>
      }
    >
      <p>
        “Sign out” deletes your token from this page; on the server it stays valid until it expires.
        “Sign out and revoke” also revokes the token, all tokens created with it, and all
        certificates that these tokens issued with a lease.
      </p>
    </FormDialog>
  );
}
