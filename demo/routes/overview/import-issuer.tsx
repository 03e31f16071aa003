import type { ImportBundleReply } from "../../../src/client/pki.ts";
import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { equalBytes } from "../../../src/base/bytes.ts";
import { decodePem, encodePem } from "../../../src/base/pem.ts";
import { useAct, type Act } from "../../lib/use-action.ts";
import { mountUrl } from "../../api/certificate-urls.ts";
import type { LockedArchive } from "./open-archive.ts";
import { examine, isPkcs12, type Finding } from "../../lib/inspection/examine.ts";
import { Button } from "../../ui/button.tsx";
import { Text } from "../../ui/field.tsx";
import { DropLines, type SelectedFile } from "../../ui/files.tsx";
import { FormDialog } from "../../ui/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { RepairUrls } from "../../ui/repair-urls.tsx";
import { Note } from "../../ui/page.tsx";
import { normalizePem } from "../../lib/x509/pem-text.ts";
import { notify } from "../../ui/notify.tsx";
import { announceChange } from "../../lib/changes.ts";
import { importBundle } from "../../api/issuers.ts";
import { address, open } from "../../lib/route.ts";
import { date } from "../../lib/time-text.ts";
import { visible } from "../../lib/visible-text.ts";

/** Converts a file to text. DER certificates and PKCS#7 messages become PEM. */
async function textOf({ name, bytes }: SelectedFile): Promise<string> {
  const text = new TextDecoder().decode(bytes);
  if (normalizePem(text).includes("-----BEGIN ")) return text;
  const findings = await examine(name, bytes);
  const certificates = findings.flatMap((one) =>
    one.kind === "certificate" ? [one.view.der] : [],
  );
  if (certificates.length > 0)
    return certificates.map((der) => encodePem("CERTIFICATE", der)).join("\n");
  const [first] = findings;
  throw new Error(
    first?.kind === "unreadable"
      ? `${first.name}: ${first.why}`
      : `${visible(name)} contains no certificate.`,
  );
}

/**
 * Returns the PEM to send, in which each block begins on a new line and PKCS#7 messages are
 * replaced with their certificates. Omits certificates other than CA certificates, because they
 * would make the whole import fail.
 */
async function sentOf(text: string, findings: readonly Finding[]): Promise<string> {
  const lined = normalizePem(text);
  const bundled = /-----BEGIN (?:PKCS7|CMS)-----/.test(lined);
  const pem = bundled ? (await import("../../lib/x509/bundles.ts")).unbundled(lined) : lined;
  const leaves = findings.flatMap((one) =>
    one.kind === "certificate" && !one.view.authority ? [one.view.der] : [],
  );
  if (leaves.length === 0) return pem;
  return decodePem(pem)
    .filter(({ der }) => !leaves.some((leaf) => equalBytes(leaf, der)))
    .map(({ label, der }) => encodePem(label, der))
    .join("\n");
}

/** Reports whether a warning is about missing URLs. */
const isAboutUrls = (warning: string): boolean =>
  warning.includes("authority information access (AIA)");

/**
 * Rewords the API's warnings for users of the console. For a CA in the browser, which no client can
 * reach, omits warnings about missing URLs.
 */
const inWords = (warnings: readonly string[], isReachable: boolean): readonly string[] =>
  warnings.flatMap((warning) => {
    if (!isAboutUrls(warning)) return warning;
    return isReachable
      ? "This mount has no URLs for issuers, CRLs and OCSP yet. Set the URLs, so that new certificates contain them."
      : [];
  });

/** Returns a sentence about the result of an import. */
function outcome({ imported_issuers, imported_keys, existing_issuers }: ImportBundleReply): string {
  const problem = (
    list: readonly string[] | null,
    one: string,
    many: string,
    words: string,
  ): string | false =>
    list !== null &&
    list.length > 0 &&
    `${list.length === 1 ? `One ${one}` : `${list.length} ${many}`} ${words}`;
  const parts = [
    problem(imported_issuers, "authority", "authorities", "imported"),
    problem(imported_keys, "key", "keys", "imported"),
    problem(existing_issuers, "authority", "authorities", "already in this mount"),
  ];
  return parts.filter(Boolean).join(", ") || "Nothing new to import";
}

/** Converts files to text, up to the first archive that requires a password. */
async function textsOf(
  files: readonly SelectedFile[],
): Promise<{ readonly texts: readonly string[]; readonly locked?: LockedArchive }> {
  const texts: string[] = [];
  let locked: LockedArchive | undefined;
  for (const file of files) {
    if (!isPkcs12(file.bytes)) texts.push(await textOf(file));
    else {
      const opened = await (await import("./open-archive.ts")).openUnlocked(file);
      if (opened === undefined) locked ??= file;
      else texts.push(opened);
    }
  }
  return { texts, ...(locked && { locked }) };
}

interface Importing {
  /** An archive that requires a password. */
  locked: LockedArchive | undefined;
  /** Receives the contents of an opened archive in PEM. */
  opened: (text: string) => void;
  text: string;
  setText: (text: string) => void;
  /** Adds files to the text. */
  add: (files: readonly SelectedFile[]) => void;
  findings: readonly Finding[];
  /** Whether the text contains private keys. */
  keys: boolean;
  /** Whether the text contains nothing to import. */
  empty: boolean;
  importAll: () => void;
  act: Act;
}

/** Returns the text to import, its contents, and functions that change and import it. */
function useImport(close: () => void): Importing {
  const [text, setText] = useState("");
  const [findings, setFindings] = useState<readonly Finding[]>([]);
  const reading = useAct();
  const act = useAct();
  const [locked, lock] = useState<LockedArchive>();
  const append = (texts: readonly string[]): void =>
    setText((current) => [current.trim(), ...texts].filter(Boolean).join("\n"));
  const add = (files: readonly SelectedFile[]): void =>
    reading.run(async () => {
      const read = await textsOf(files);
      lock(read.locked);
      append(read.texts);
    });
  const opened = (text: string): void => {
    lock(undefined);
    append([text]);
  };
  useEffect(() => {
    let late = false;
    const readText = async (): Promise<void> => {
      const seen =
        text.trim() === "" ? [] : await examine("Pasted text", new TextEncoder().encode(text));
      if (!late) setFindings(seen);
    };
    void readText();
    return () => {
      late = true;
    };
  }, [text]);
  const keys = findings.some(({ kind }) => kind === "key");
  // text that has not been parsed yet may contain something to import
  const empty =
    text.trim() === "" ||
    (findings.length > 0 &&
      findings.every((one) => one.kind === "certificate" && !one.view.authority));
  const submit = (): void => {
    if (empty) return;
    act.run(async () => {
      const { data, warnings } = await importBundle(await sentOf(text, findings), keys);
      announceChange();
      // Remove the text from the page, because it may contain private keys. They have been sent and
      // are no longer needed here.
      setText("");
      const [first] = data.imported_issuers ?? [];
      close();
      const isReachable = mountUrl() !== "";
      notify(
        outcome(data),
        inWords(warnings, isReachable),
        isReachable && warnings.some(isAboutUrls) && <RepairUrls />,
      );
      if (first !== undefined) open(address("authorities", first));
    });
  };
  return {
    locked,
    opened,
    text,
    setText,
    add,
    findings,
    keys,
    empty,
    importAll: submit,
    act: { ...act, error: reading.error ?? act.error },
  };
}

/** The dialog that imports CAs with or without their keys, as pasted text or as files. */
export function ImportAuthority({ close }: { close: () => void }): JSX.Element {
  const { text, setText, add, findings, keys, empty, importAll, act, locked, opened } =
    useImport(close);
  return (
    <FormDialog
      title="Import authorities"
      close={close}
      act={act}
      action={keys ? "Import with key" : "Import"}
      submit={importAll}
      disabled={empty}
    >
      <DropLines
        label="CA certificates, and the private keys of CAs that will sign here"
        value={text}
        change={setText}
        onFiles={add}
        many
        rows={6}
        placeholder="-----BEGIN CERTIFICATE-----"
        hint="PEM in any order; other text is ignored. You can drop files, including PKCS#12, PKCS#7 and DER."
      />
      {locked && <Unlock key={locked.name} locked={locked} opened={opened} />}
      <Findings findings={findings} />
      {keys && (
        <Note tone="warn" icon="key">
          The private key is sent to this server, which stores it encrypted and never shows it
          again.
        </Note>
      )}
    </FormDialog>
  );
}

/**
 * The form that asks for the password of an archive. The archive is opened in the browser. Neither
 * the archive nor its password is sent.
 */
function Unlock({
  locked,
  opened,
}: {
  locked: LockedArchive;
  opened: (text: string) => void;
}): JSX.Element {
  const [password, type] = useState("");
  const act = useAct();
  const open = (): void =>
    act.run(async () => {
      const text = await (await import("./open-archive.ts")).openArchive(locked, password);
      opened(text);
    });
  return (
    <div class="stack close">
      <Text
        label={`Password for ${visible(locked.name)}`}
        type="password"
        value={password}
        change={type}
        error={act.error?.message}
        hint="The archive is opened in your browser. The password is not sent."
      />
      <div class="actions from-start">
        <Button busy={act.busy} press={open}>
          Open the archive
        </Button>
      </div>
    </div>
  );
}

/** The list of recognized objects in the text. */
function Findings({ findings }: { findings: readonly Finding[] }): JSX.Element | null {
  if (findings.length === 0) return null;
  const keyPrints = new Set(findings.flatMap((one) => (one.kind === "key" ? [one.keyPrint] : [])));
  const line = (one: Finding): readonly [good: boolean, text: string] => {
    if (one.kind === "certificate") {
      const { title, authority, ends, keyPrint } = one.view;
      const about = authority
        ? `until ${date(ends)}, ${keyPrints.has(keyPrint) ? "with its key" : "without a key"}`
        : "not a CA: not imported";
      return [authority, `${title}, ${about}`];
    }
    if (one.kind === "key") return [one.why === "", one.why || `Private key, ${one.form}`];
    if (one.kind === "locked") return [false, `${one.name}: ${one.what}, not opened`];
    if (one.kind === "named") return [true, `${one.what}: ignored`];
    if (one.kind === "public key") return [true, "A public key: ignored"];
    if (one.kind === "unreadable") return [false, `${one.name}: ${one.why}`];
    return [true, one.kind === "crl" ? "A CRL: ignored" : "A CSR: ignored"];
  };
  return (
    <ul class="list dense card" aria-label="Contents">
      {findings.map((one, i) => {
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
