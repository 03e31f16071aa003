import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../../lib/use-action.ts";
import type { Reply } from "../../api/transport.ts";
import { destroySecretId, newSecretId, roleId, secretIds, type SecretId } from "./login-calls.ts";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/code.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { Confirm } from "../../ui/form.tsx";
import { ShownOnce } from "../../ui/reveal-once.tsx";
import { Facts, Failure, Ready } from "../../ui/page.tsx";
import { toast } from "../../ui/toast.tsx";
import { useLoad } from "../../lib/use-load.ts";
import { lasting } from "../../lib/time-text.ts";
import { visible } from "../../lib/visible-text.ts";

/** The dialog with the credentials of an AppRole role: its role ID, and secret IDs. */
export function RoleIds({
  path,
  name,
  close,
}: {
  path: string;
  name: string;
  close: () => void;
}): JSX.Element {
  const result = useLoad(() => roleId(path, name), []);
  const [created, setCreated] = useState<Reply<SecretId>>();
  const act = useAct();
  const make = (): void => act.run(async () => setCreated(await newSecretId(path, name)));
  const writes = `login method auth/${visible(path)}`;
  if (created && result.value !== undefined)
    return <SecretIdCreated secret={created} role={result.value} writes={writes} close={close} />;
  return (
    <Dialog title={`IDs of ${visible(name)}`} close={close} writes={writes}>
      <Ready from={result}>
        {(id) => (
          <>
            <p class="small muted">Role ID</p>
            <Code text={id} label="Role ID" wrap />
            <p>
              A program logs in with the role ID and a secret ID. The role ID is not secret. A
              secret ID is shown only once.
            </p>
            <SecretIds path={path} name={name} />
          </>
        )}
      </Ready>
      {act.error && <Failure error={act.error} />}
      <div class="actions">
        <Button press={close}>Close</Button>
        <Button kind="primary" busy={act.busy} disabled={result.value === undefined} press={make}>
          Create secret ID
        </Button>
      </div>
    </Dialog>
  );
}

/** The accessors of the role's valid secret IDs, each with a button that destroys the secret ID. */
function SecretIds({ path, name }: { path: string; name: string }): JSX.Element {
  const result = useLoad(() => secretIds(path, name), []);
  const [accessor, setAccessor] = useState("");
  return (
    <Ready from={result}>
      {(all) => (
        <>
          <p>{all.length === 0 ? "No secret IDs yet." : "Accessors of the existing secret IDs:"}</p>
          <ul class="list dense" aria-label="Secret IDs">
            {all.map((accessor) => (
              <li key={accessor}>
                <div class="mono break">{visible(accessor)}</div>
                <Button
                  tiny
                  kind="danger"
                  press={() => setAccessor(accessor)}
                  label={`Destroy secret ID ${visible(accessor)}`}
                >
                  Destroy…
                </Button>
              </li>
            ))}
          </ul>
          {accessor !== "" && (
            <Destroy
              {...{ path, name }}
              accessor={accessor}
              close={() => setAccessor("")}
              onDeleted={result.again}
            />
          )}
        </>
      )}
    </Ready>
  );
}

function Destroy({
  path,
  name,
  accessor,
  close,
  onDeleted,
}: {
  path: string;
  name: string;
  accessor: string;
  close: () => void;
  onDeleted: () => void;
}): JSX.Element {
  const work = async (): Promise<void> => {
    await destroySecretId(path, name, accessor);
    close();
    toast("Secret ID destroyed");
    onDeleted();
  };
  return (
    <Confirm
      title="Destroy this secret ID?"
      writes={`login method auth/${visible(path)}`}
      close={close}
      action="Destroy"
      work={work}
    >
      <p>
        Programs can no longer log in with the secret ID that has the accessor{" "}
        <code class="break">{visible(accessor)}</code>. Tokens it created stay valid until they
        expire.
      </p>
    </Confirm>
  );
}

function SecretIdCreated({
  secret: { data, warnings },
  role,
  writes,
  close,
}: {
  secret: Reply<SecretId>;
  role: string;
  writes: string;
  close: () => void;
}): JSX.Element {
  return (
    <ShownOnce
      title="Secret ID created"
      writes={writes}
      what="secret ID"
      about="The accessor stays in the list, so that you can destroy the secret ID later."
      warnings={warnings}
      secrets={[
        ["Role ID", role],
        ["Secret ID", data.secret_id],
      ]}
      close={close}
    >
      <Facts
        rows={[
          ["Lifetime", data.secret_id_ttl > 0 ? lasting(data.secret_id_ttl) : "Never expires"],
          ["Uses", data.secret_id_num_uses > 0 ? String(data.secret_id_num_uses) : "Not limited"],
          ["Accessor", visible(data.secret_id_accessor), true],
        ]}
      />
    </ShownOnce>
  );
}
