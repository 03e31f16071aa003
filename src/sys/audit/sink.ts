import { uriForm } from "../../base/forms.ts";
import { toHex, utf8 } from "../../base/bytes.ts";
import { CaError } from "../../base/errors.ts";
import { sinkBinding } from "../../engine/audit-key.ts";
import { sysKeys, type AuditSinkRow, storedSys } from "../../engine/sys-records.ts";
import { jobKeys, jobRow } from "../../engine/jobs.ts";
import type { StoreContext } from "../../engine/store-context.ts";
import { urlFault } from "../../net/url-fault.ts";
import { systemEndpoint } from "../../wire/endpoint.ts";
import { withNormalForm, instant, int, secret, text } from "../../wire/field.ts";
import { envelope } from "../../wire/style.ts";
import { parseTrustedRoots } from "../../net/trusted-roots.ts";
import { sinkNotice } from "./sink-job.ts";
import { sinkJobKind } from "./sink-kind.ts";

/**
 * Minimum and maximum length of a secret in characters, and size of a generated secret in bytes.
 */
const [minSecretLength, maxSecretLength, generatedSecretBytes] = [16, 512, 32];

function secretOf({ ports }: StoreContext, secret: string | undefined): string {
  if (secret === undefined) return toHex(ports.random(generatedSecretBytes));
  if (secret.length < minSecretLength || secret.length > maxSecretLength)
    throw new CaError(
      "malformed",
      `secret must have ${minSecretLength} to ${maxSecretLength} characters`,
    );
  return secret;
}

export const writeSink = systemEndpoint({
  id: "writeAuditSink",
  at: ["POST /audit/sink"],
  access: "sudo",
  style: envelope,
  doc: "Sets the URL to which events are sent. Events are signed and sent in order, at least once, with retries. Redirects are not followed.",
  body: {
    url: withNormalForm(text, uriForm).required("Destination URL (https)."),
    secret: secret.optional("Signing secret, 16 to 512 characters. Generated if absent."),
    ca_pem: text.default(
      "",
      "CA certificates (PEM). The server's certificate must chain to one of them. By default, the platform's CAs are used.",
    ),
  },
  reply: {
    url: text.required("Destination URL."),
    secret: text.optional("Signing secret, if generated. Returned only once."),
  },
  refuses: ["malformed"],
  run: async ({ sys }, { url, secret: requestedSecret, ca_pem }) => {
    const fault = urlFault(url);
    if (fault !== undefined) throw new CaError("malformed", `url ${fault}`);
    const roots = parseTrustedRoots(ca_pem);
    const chosen = secretOf(sys, requestedSecret);
    const sealed = await sys.ports.vault.seal(utf8(chosen), sinkBinding);
    const now = sys.ports.now();
    const old = await jobKeys(sys.store, sinkJobKind, "sink");
    const row: AuditSinkRow = { url, sealed, roots, modified: now };
    await sys.commit({
      del: [...old, sinkNotice],
      put: [[sysKeys.auditSink, row], jobRow({ due: now, now }, sinkJobKind, "sink")],
    });
    return { url, ...(requestedSecret === undefined ? { secret: chosen } : {}) };
  },
});

export const readSink = systemEndpoint({
  id: "readAuditSink",
  at: ["GET /audit/sink"],
  access: "sudo",
  style: envelope,
  doc: "Returns the URL to which events are sent, and the delivery status.",
  body: {},
  reply: {
    url: text.required("Destination URL."),
    certificates: int.required("Number of CA certificates with which the server is verified."),
    modified: instant.required("Time at which the URL was set."),
    sent: int.required("Number of delivered events."),
    last_sent: instant.optional("Time of the last delivery."),
    failure: text.optional("Error of the last delivery; absent if it succeeded."),
  },
  refuses: ["not_found"],
  run: async ({ sys }) => {
    const [row, sent, notice] = await sys.store.get([
      sysKeys.auditSink,
      sysKeys.auditSent,
      sinkNotice,
    ]);
    if (!row) return undefined;
    const { url, roots, modified } = storedSys.auditSink(row.value);
    const { count, at } = storedSys.auditSent(sent?.value);
    return {
      url,
      certificates: roots.length,
      modified: Math.floor(modified / 1000),
      sent: count,
      ...(at > 0 ? { last_sent: Math.floor(at / 1000) } : {}),
      ...(notice ? { failure: storedSys.notice(notice.value).text } : {}),
    };
  },
});

export const deleteSink = systemEndpoint({
  id: "deleteAuditSink",
  at: ["DELETE /audit/sink"],
  access: "sudo",
  style: envelope,
  doc: "Stops sending events. A URL that is set later receives all stored events.",
  body: {},
  reply: {},
  run: async ({ sys }) => {
    const old = await jobKeys(sys.store, sinkJobKind, "sink");
    await sys.commit({ del: [...old, sysKeys.auditSink, sysKeys.auditSent, sinkNotice] });
    return undefined;
  },
});
