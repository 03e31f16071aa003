import type { JSX } from "preact";
import { deleteMount, holdings, type Holdings, type Mount } from "./mount-calls.ts";
import { Button } from "../../ui/button.tsx";
import { Confirm } from "../../ui/form.tsx";
import { Facts, Ready } from "../../ui/page.tsx";
import { numeral } from "../../ui/pager.tsx";
import { notify } from "../../ui/notify.tsx";
import { place, switchPlace } from "../../lib/place.ts";
import { announceChange } from "../../lib/changes.ts";
import { useLoad } from "../../lib/use-load.ts";
import { visible } from "../../lib/visible-text.ts";

interface Props {
  one: Mount;
  /** All mounts. If the current mount is deleted, the console switches to another. */
  all: readonly Mount[];
  close: () => void;
}

/**
 * The dialog that deletes a mount after the user has typed its path. It lists what will be lost.
 */
export function DeleteMount({ one: { path }, all, close }: Props): JSX.Element {
  const contents = useLoad(() => holdings(path), []);
  const where = place.get();
  const next = all.find((other) => other.path !== path)?.path;
  const leaves = where.mount === path && next !== undefined;
  const remove = async (): Promise<void> => {
    const { warnings } = await deleteMount(path);
    close();
    announceChange();
    notify(
      `Mount ${visible(path)} deleted${leaves ? `. Mount ${visible(next)} is now open` : ""}`,
      [...warnings],
    );
    if (leaves) switchPlace({ ...where, mount: next });
  };
  return (
    <Confirm
      title={`Delete the mount ${visible(path)}?`}
      writes={`mount ${visible(path)}`}
      close={close}
      name={visible(path)}
      action="Delete mount"
      look={<Button press={() => (close(), announceChange())}>Go to mounts</Button>}
      work={remove}
    >
      <p>
        <b>Everything in the mount will be permanently deleted:</b> authorities and their keys,
        certificates, revocations, roles, ACME accounts and settings. Only a backup can restore it.
      </p>
      <Ready from={contents}>{(loaded) => <Facts rows={rowsOf(loaded)} />}</Ready>
      <p>
        Certificates issued by this mount stay valid for clients that trust its root, but can no
        longer be revoked, because its CRLs will expire and OCSP will stop responding. Requests to
        the mount will fail, including ACME renewals.
      </p>
    </Confirm>
  );
}

function rowsOf(contents: Holdings): Parameters<typeof Facts>[0]["rows"] {
  const { named, authorities, keys, roles, certificates, more } = contents;
  const others = authorities - named.length;
  const names = named.join(", ") + (others > 0 ? ` and ${numeral(others)} more` : "");
  return [
    ["Authorities", authorities === 0 ? "None" : names],
    ["Keys", numeral(keys)],
    ["Roles", numeral(roles)],
    ["Certificates", more ? `More than ${numeral(certificates)}` : numeral(certificates)],
  ];
}
