import { issuersById, certEntry, keys, type IssuerRow } from "../rows/records.ts";
import { serialText } from "../../base/ids.ts";
import type { Mount } from "../../engine/mount.ts";
import type { Scheme } from "../../engine/ports.ts";
import { withValue, type Snapshot } from "../../engine/snapshot.ts";
import { withEvents } from "../../events/raise.ts";
import { signingLog, type Signed } from "../../log/rows/signed.ts";
import { schemeName } from "../../x509/public-key.ts";
import { certify, planOf } from "../issuer/certify.ts";
import { issuedEvents } from "../issuer/certificate-events.ts";
import { checkIssuerName, issuerRow, issuerRows } from "../issuer/new-issuer.ts";
import { newSerial } from "../issuer/serial.ts";
import { hasAddresses, noUrls, urlsForRoot } from "../issuer/urls.ts";
import { validityFor } from "../issuer/validity.ts";
import { type IssuanceContext, failFast } from "../request/rule-checker.ts";
import { checkCommonNames, templateName, type Template } from "../request/template.ts";
import { readCertificateFormat, noteSerial } from "../request/format.ts";
import { schemeFor } from "../request/scheme.ts";
import { configureCrls } from "../crl/crl-schedule.ts";
import type { CaKey, KeyRequest, KeySource } from "./ca-key.ts";
import { caTemplate, pathLengthOf } from "./ca-template.ts";
import { keyRows } from "./mount-keys.ts";
import { encodeNewCa, keyOnce, readOutputOptions, type NewCaCase } from "./new-ca.ts";
import type { RootInput } from "./root-fields.ts";

type RootRequest = RootInput &
  Pick<KeyRequest, "key_ref" | "managed_key_name" | "managed_key_id"> & {
    readonly exported?: string;
  };
/** The source of a root's key, and whether the request is a rotation. */
interface RootSource {
  readonly source: KeySource;
  readonly rotates?: boolean;
}

/** Generates a root, stores it as an issuer, and builds its CRL. */
export async function generateRootCa(
  it: NewCaCase<RootRequest>,
  { source, rotates = false }: RootSource,
) {
  const { mount, input, caller } = it;
  const form = await readOutputOptions(it, source, () => readCertificateFormat(it));
  const keyFor = keyOnce(it, source);
  const reply = await configureCrls(mount, caller, async (config, caller) => {
    const name = rotates ? nextName(config, input) : givenName(config, input);
    checkCommonNames({ caller, checker: failFast }, input.common_name);
    const key = await keyFor(config);
    const root = await selfSigned({ mount, config, input, caller }, key);
    return root.signed.inChange(async (der) => {
      const { serial, scheme } = root;
      const issuer = await issuerRow(mount, der, {
        name,
        key_id: key.row.id,
        revocation_signature_algorithm: schemeName(scheme),
      });
      const output = await encodeNewCa(form, key, "CERTIFICATE", der);
      const reply = replyOf(root, issuer, key, output);
      const follow = rotates ? undefined : issuer.id;
      const put = [
        ...(source === "existing" ? [] : keyRows(config, [key.row])),
        ...(await issuerRows(mount, config, [issuer], follow)),
        storedRoot(root, issuer),
      ];
      const expect = [[keys.cert(serial), null]] as const;
      if (source === "exported") await caller.reply.wrapReply?.(reply);
      const change = { reply, crlIds: [issuer.crl_set], batch: { expect, put } };
      return withEvents(change, await rootEvents(mount, config, der, issuer));
    });
  });
  mount.ports.meter?.count("issued", [mount.name]);
  noteSerial(caller, reply.serial_number);
  caller.audit.note({ issuer: reply.issuer_id });
  return reply;
}

const givenName = (config: Snapshot, { issuer_name: requestedName }: RootRequest): string =>
  requestedName === undefined ? "" : checkIssuerName(config, requestedName);
/**
 * Returns the name of a new root in a rotation: the requested name, or `next` if none is requested
 * and no issuer has that name (A 3.4).
 */
function nextName(config: Snapshot, input: RootRequest): string {
  const isFree = ![...config.get(issuersById).values()].some((row) => row.name === "next");
  return input.issuer_name === undefined && isFree ? "next" : givenName(config, input);
}

/** Returns the response that describes a new root. */
const replyOf = (
  { serial, template }: Root,
  issuer: IssuerRow,
  key: CaKey,
  { text, bundle, secrets }: Awaited<ReturnType<typeof encodeNewCa>>,
) => ({
  expiration: template.notAfter,
  serial_number: serialText(serial),
  certificate: bundle,
  issuing_ca: text,
  issuer_id: issuer.id,
  issuer_name: issuer.name,
  key_id: key.row.id,
  key_name: key.row.name,
  ...secrets,
});

interface Root {
  readonly signed: Signed;
  readonly serial: Uint8Array;
  readonly template: Template;
  readonly scheme: Scheme;
}
const storedRoot = ({ serial, template }: Root, { id, der, crl_set }: IssuerRow) =>
  certEntry(
    serial,
    { der, issuer: id, crl_set, role: "" },
    {
      notBefore: template.notBefore,
      notAfter: template.notAfter,
      name: templateName(template),
    },
  );

/** Prepares the event about a new root. The root is not yet in `config`. */
const rootEvents = (mount: Mount, config: Snapshot, der: Uint8Array, issuer: IssuerRow) =>
  issuedEvents(mount, withValue(config, issuersById, new Map([[issuer.id, issuer]])), {
    der,
    issuer: issuer.id,
    role: "",
  });

async function selfSigned(
  { mount, config, input, caller }: Omit<IssuanceContext<RootInput>, "checker">,
  { row, publicKey, signer }: CaKey,
): Promise<Root> {
  // the lifetime of a new root is capped in every dialect (D 1)
  const validity = validityFor(
    input,
    { ttl: 0, max_ttl: 0, not_after: "", not_before_duration: input.not_before_duration },
    { now: mount.ports.now(), mount: config.mount, caller, overMax: "cap" },
  );
  const template = caTemplate({
    ...input,
    kind: "root",
    spki: row.spki,
    validity,
    pathLength: pathLengthOf(input.max_path_length, undefined, true),
  });
  const { urls, leftOut } = urlsForRoot(config);
  if (leftOut)
    caller.reply.warn(
      "The certificate of the new root contains no URLs: those of this mount contain {{issuer_id}}, and a new root does not have an ID yet.",
    );
  else if (!hasAddresses(urls)) caller.reply.warn(noUrls);
  if (template.subject.length === 0)
    caller.reply.warn(
      "The subject of the new CA certificate is empty; other software may reject the certificate.",
    );
  if (template.basicConstraints?.pathLength === 0)
    caller.reply.warn(
      "Max path length of the generated certificate is zero. This certificate cannot be used to issue intermediate CA certificates.",
    );
  const scheme = schemeFor(publicKey, input.signature_bits, input.use_pss);
  const serial = await newSerial(mount, config);
  const itself = {
    signer,
    log: signingLog(mount, config),
    publicKey,
    subject: undefined,
    keyId: undefined,
    pathLength: undefined,
  };
  const plan = planOf(template, { authority: itself, scheme, urls });
  return { signed: await certify(plan, template, serial), serial, template, scheme };
}
