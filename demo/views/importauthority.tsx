import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { encodePem } from "../../src/base/pem.ts";
import { useAct } from "../act.ts";
import { readCertificate } from "../decode.ts";
import { examine, type Finding } from "../examine.ts";
import { Button } from "../parts/button.tsx";
import { Dialog } from "../parts/dialog.tsx";
import { Lines } from "../parts/field.tsx";
import { FileButton, useDrop, type Given } from "../parts/files.tsx";
import { Icon } from "../parts/icon.tsx";
import { Failure, Note, Warnings } from "../parts/page.tsx";
import { toast } from "../parts/toast.tsx";
import { changed, importBundle, type Imported } from "../pki.ts";
import { address, open } from "../route.ts";
import { date } from "../words.ts";

/** The text of a file; a certificate as DER becomes PEM. */
async function textOf({ name, bytes }: Given): Promise<string> {
  const text = new TextDecoder().decode(bytes);
  if (text.includes("-----BEGIN ")) return text;
  try {
    return encodePem("CERTIFICATE", (await readCertificate(bytes)).der);
  } catch {
    throw new Error(`${name} is neither PEM nor a certificate as DER.`);
  }
}

/** What an import has changed, in one sentence. */
function outcome({ imported_issuers, imported_keys, existing_issuers }: Imported): string {
  const say = (list: readonly string[] | null, one: string, many: string, words: string): string | false =>
    list !== null && list.length > 0 && `${list.length === 1 ? `One ${one}` : `${list.length} ${many}`} ${words}`;
  const parts = [
    say(imported_issuers, "authority", "authorities", "imported"),
    say(imported_keys, "key", "keys", "imported"),
    say(existing_issuers, "authority", "authorities", "here already"),
  ];
  return parts.filter(Boolean).join(", ") || "Nothing was new";
}

interface Done {
  readonly outcome: string;
  readonly warnings: readonly string[];
  /** Address of the first authority that is new. */
  readonly to: string;
}

interface Importing {
  text: string;
  setText: (text: string) => void;
  /** Adds files to the text. */
  add: (files: readonly Given[]) => void;
  found: readonly Finding[];
  /** Whether private keys are among it. */
  keys: boolean;
  take: (event: Event) => void;
  /** Set when it is done and something is left to be said. */
  done: Done | undefined;
  error: Error | undefined;
  busy: boolean;
}

/** The text that is to be imported, what is in it, and the import. */
function useImport(close: () => void): Importing {
  const [text, setText] = useState("");
  const [found, setFound] = useState<readonly Finding[]>([]);
  const [done, setDone] = useState<Done>();
  const reading = useAct();
  const act = useAct();
  const add = (files: readonly Given[]): void =>
    reading.run(async () => {
      const texts = await Promise.all(files.map(textOf));
      setText((held) => [held.trim(), ...texts].filter(Boolean).join("\n"));
    });
  useEffect(() => {
    let late = false;
    const look = async (): Promise<void> => {
      const seen = text.trim() === "" ? [] : await examine("What was pasted", new TextEncoder().encode(text));
      if (!late) setFound(seen);
    };
    void look();
    return () => {
      late = true;
    };
  }, [text]);
  const keys = found.some(({ kind }) => kind === "key");
  const take = (event: Event): void => {
    event.preventDefault();
    if (text.trim() === "") return;
    act.run(async () => {
      const { data, warnings } = await importBundle(text, keys);
      changed();
      // The key has been handed over; the page needs it no longer.
      setText("");
      const [first] = data.imported_issuers ?? [];
      const to = first === undefined ? "" : address("authorities", first);
      if (warnings.length > 0) return setDone({ outcome: outcome(data), warnings, to });
      toast(outcome(data));
      close();
      if (to) open(to);
    });
  };
  return { text, setText, add, found, keys, take, done, error: reading.error ?? act.error, busy: act.busy };
}

/** Brings in authorities with or without their keys, pasted, dropped or chosen. */
export function ImportAuthority({ close }: { close: () => void }): JSX.Element {
  const { text, setText, add, found, keys, take, done, error, busy } = useImport(close);
  if (done) return <Imports done={done} close={close} />;
  const { class: dropClass, ...drop } = useDrop(add);
  return (
    <Dialog title="Import authorities" close={close} writes>
      <form class="plain" onSubmit={take} noValidate>
        <div class={dropClass} {...drop}>
          <Lines
            label="Certificates, and keys if they should sign here"
            value={text}
            change={setText}
            rows={6}
            placeholder="-----BEGIN CERTIFICATE-----"
            hint="PEM in any order, with text around it. Files can be dropped here."
          />
          <div>
            <FileButton text="Choose files" many take={add} />
          </div>
        </div>
        <Findings found={found} />
        {keys && (
          <Note tone="warn" icon="key">
            The private key is sent to this authority, which keeps it encrypted. It is not shown again.
          </Note>
        )}
        {error && <Failure error={error} />}
        <div class="actions">
          <Button press={close}>Cancel</Button>
          <Button kind="primary" submit busy={busy} disabled={text.trim() === ""}>
            {keys ? "Import with key" : "Import"}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

/** What was imported and what the authority warns of. */
function Imports({ done: { outcome: said, warnings, to }, close }: { done: Done; close: () => void }): JSX.Element {
  const show = (): void => {
    close();
    open(to);
  };
  return (
    <Dialog title="Imported" close={close}>
      <p role="status">{said}.</p>
      <Warnings texts={warnings} />
      <div class="actions">
        <Button press={close}>Close</Button>
        {to && (
          <Button kind="primary" press={show}>
            Show authority
          </Button>
        )}
      </div>
    </Dialog>
  );
}

/** What was recognised, and which key belongs to which certificate. */
function Findings({ found }: { found: readonly Finding[] }): JSX.Element | null {
  if (found.length === 0) return null;
  const keyPrints = new Set(found.flatMap((one) => (one.kind === "key" ? [one.keyPrint] : [])));
  const line = (one: Finding): readonly [good: boolean, text: string] => {
    if (one.kind === "certificate") {
      const { title, authority, ends, keyPrint } = one.view;
      const about = authority ? `until ${date(ends)}, ${keyPrints.has(keyPrint) ? "with its key" : "without a key"}` : "not an authority: it will be refused";
      return [authority, `${title}, ${about}`];
    }
    if (one.kind === "key") return [one.why === "", one.why || `Private key, ${one.form}`];
    if (one.kind === "unreadable") return [false, `${one.name}: ${one.why}`];
    return [true, one.kind === "crl" ? "A CRL, which is passed over" : "A request, which is no authority"];
  };
  return (
    <ul class="list dense card" aria-label="What was recognised">
      {found.map((one, i) => {
        const [good, text] = line(one);
        return (
          <li key={i}>
            <Icon name={good ? "check" : "x"} tone={good ? "ok" : "danger"} />
            <div class="break small">{text}</div>
          </li>
        );
      })}
    </ul>
  );
}
