import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { TestManagedKeyInput, TestManagedKeyReply } from "../../../src/client/sys.ts";
import { useAct } from "../../lib/use-action.ts";
import {
  deleteManagedKey,
  managedKey,
  permissions,
  permit,
  saveManagedKey,
  testSign,
  type ManagedKey,
  type MountPermission,
  type ManagedType,
} from "../../api/managed-keys.ts";
import { fieldsOf, keyLocation, managedFields, wrongManaged } from "./managed-fields.ts";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/code.tsx";
import { Check, Choice } from "../../ui/field.tsx";
import { Confirm } from "../../ui/form.tsx";
import { Back, Card, Empty, Facts, Failure, Note, Ready } from "../../ui/page.tsx";
import { notify } from "../../ui/notify.tsx";
import { announceChange, changes } from "../../lib/changes.ts";
import { address, redirect } from "../../lib/route.ts";
import { blankSettings } from "../../lib/settings.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { signatureName } from "../../lib/x509/signature-name.ts";
import { visible } from "../../lib/visible-text.ts";
import { SettingDialog } from "../../ui/setting-dialog.tsx";

type Doing = "change" | "drop" | "";

/** The view of a managed key: its location, the mounts that may use it, and a test signature. */
export function OpenManagedKey({ type, name }: { type: ManagedType; name: string }): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(() => managedKey(type, name), [turn]);
  return (
    <>
      <Back to={address("keys", "managed")}>Managed keys</Back>
      <Ready from={result}>
        {(one) => (
          <div class="stack">
            <About one={one} />
            <TestSign one={one} read={result.again} />
            <Mounts one={one} />
          </div>
        )}
      </Ready>
    </>
  );
}

function About({ one }: { one: ManagedKey }): JSX.Element {
  const [doing, start] = useState<Doing>("");
  const close = (): void => start("");
  const fields = fieldsOf(one.type);
  return (
    <Card
      title={visible(one.name)}
      end={
        <>
          <Button tiny press={() => start("change")}>
            Change…
          </Button>
          <Button tiny kind="danger" press={() => start("drop")}>
            Delete…
          </Button>
        </>
      }
    >
      <Facts
        rows={[
          ["Type", managedFields[one.type].title],
          ["Location", visible(keyLocation(one)), true],
          ["Usages", one.usages?.length ? one.usages.map(visible).join(", ") : "Any"],
          ["ID", visible(one.UUID), true],
          !!one.public_key && [
            "Public key",
            <Code text={one.public_key.trim()} label="Public key" />,
          ],
        ]}
      />
      {doing === "change" && (
        <SettingDialog
          title={`Change ${visible(one.name)}`}
          writes="all mounts"
          record={{ ...blankSettings(fields), ...one }}
          fields={fields}
          wrongIn={(typed) => wrongManaged(one.type, typed, false)}
          save={(sent) => saveManagedKey(one.type, one.name, sent)}
          close={close}
        >
          <p class="small muted">
            Secrets are not shown. Leave them empty to keep the current values. If you select
            another key, the public key is read again.
          </p>
        </SettingDialog>
      )}
      {doing === "drop" && <Drop one={one} close={close} />}
    </Card>
  );
}

function Drop({ one, close }: { one: ManagedKey; close: () => void }): JSX.Element {
  const work = async (): Promise<void> => {
    const { warnings } = await deleteManagedKey(one.type, one.name);
    close();
    redirect(address("keys", "managed"));
    announceChange();
    notify("Managed key deleted", warnings);
  };
  return (
    <Confirm
      title="Delete this managed key?"
      writes="all mounts"
      close={close}
      name={one.name}
      work={work}
    >
      <p>
        Deletes the location and credentials from this server; the external key is not affected. You
        cannot delete a managed key while a mount lists it or an authority signs with it.
      </p>
    </Confirm>
  );
}

const hashes: readonly (readonly [
  hash: NonNullable<TestManagedKeyInput["hash_algorithm"]>,
  text: string,
])[] = [
  ["", "Default for the key"],
  ["sha2-256", "SHA-256"],
  ["sha2-384", "SHA-384"],
  ["sha2-512", "SHA-512"],
];

function TestSign({ one, read }: { one: ManagedKey; read: () => void }): JSX.Element {
  const [hash, choose] = useState<NonNullable<TestManagedKeyInput["hash_algorithm"]>>("");
  const [pss, usePss] = useState(false);
  const [signed, setSigned] = useState<TestManagedKeyReply>();
  const act = useAct();
  const test = (event: Event): void => {
    event.preventDefault();
    setSigned(undefined);
    act.run(async () => {
      setSigned(
        await testSign(one.type, one.name, {
          hash_algorithm: hash || undefined,
          use_pss: pss || undefined,
        }),
      );
      read();
    });
  };
  return (
    <Card title="Test">
      <form class="pad stack close" onSubmit={test} noValidate>
        <p>Signs random data with the key and verifies the signature. Nothing is stored.</p>
        <div class="pair">
          <Choice
            label="Hash"
            value={hash}
            change={choose}
            options={hashes}
            hint="Only for RSA keys."
          />
        </div>
        <Check label="Use PSS with RSA keys" checked={pss} change={usePss} />
        <div class="actions from-start">
          <Button submit busy={act.busy}>
            Sign test data
          </Button>
        </div>
        <div role="status">
          {signed && (
            <Note>
              <b>The key works</b>
              <p class="small">
                {visible(signed.key_type)}, {signatureName(visible(signed.signature_algorithm))};
                signature verified.
              </p>
            </Note>
          )}
        </div>
        {act.error && <Failure error={act.error} />}
      </form>
    </Card>
  );
}

function Mounts({ one }: { one: ManagedKey }): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const result = useLoad(permissions, [turn]);
  const act = useAct();
  const turnTo = (mount: MountPermission, may: boolean): void =>
    act.run(async () => {
      const { warnings } = await permit(mount, one.name, may);
      announceChange();
      notify(
        may ? `${mount.path} may use the key` : `${mount.path} can no longer use the key`,
        warnings,
      );
    });
  return (
    <Card title="Allowed mounts">
      {one.any_mount ? (
        <p class="pad">All mounts: set in the key’s settings.</p>
      ) : (
        <Ready from={result}>
          {(all) =>
            all.length === 0 ? (
              <Empty text="There are no CA mounts." />
            ) : (
              <>
                <ul class="list" aria-label="Mounts">
                  {all.map((mount) => {
                    const may = mount.keys.includes(one.name);
                    const path = visible(mount.path);
                    return (
                      <li key={mount.path}>
                        <div>
                          <b class="mono">{path}</b>
                          <p class="small muted">{may ? "Allowed" : "Not allowed"}</p>
                        </div>
                        <Button
                          tiny
                          busy={act.busy}
                          press={() => turnTo(mount, !may)}
                          label={may ? `Disallow ${path}` : `Allow ${path}`}
                        >
                          {may ? "Disallow" : "Allow"}
                        </Button>
                      </li>
                    );
                  })}
                </ul>
                <p class="pad small muted">
                  Stored as <code>allowed_managed_keys</code> in each mount. A mount that loses
                  access can no longer sign with the key.
                </p>
              </>
            )
          }
        </Ready>
      )}
      {act.error && (
        <div class="pad">
          <Failure error={act.error} />
        </div>
      )}
    </Card>
  );
}
