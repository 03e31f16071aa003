import type { JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { useAct } from "../../lib/use-action.ts";
import { authorities } from "../../api/issuer-tree.ts";
import type { Authority } from "../../api/issuer.ts";
import { isIssuerOf, readCertificate, type CertificateView } from "../../lib/x509/decode.ts";
import { askOcsp, responderUrl, type OcspExchange } from "../../api/ocsp-exchange.ts";
import { opensslCommand, wrongSerial } from "../../lib/x509/ocsp-query.ts";
import { certificate } from "../../api/certificates.ts";
import { Button, CopyButton } from "../button.tsx";
import { Check, Choice, Text } from "../field.tsx";
import { toWrong } from "../form.tsx";
import { Badge } from "../icon.tsx";
import { OcspFinding, OcspRefused } from "../ocsp-details.tsx";
import { Card, Failure, Ready } from "../page.tsx";
import { save } from "../save.ts";
import { route } from "../../lib/route.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import type { Verification } from "../../lib/inspection/verify-node.ts";
import { verifyOcsp } from "../../lib/inspection/verify-ocsp.ts";
import { fileName } from "../../lib/file-name.ts";

interface ShownResponse {
  readonly exchanged: OcspExchange;
  readonly verification: Verification | undefined;
}

const hashes = [
  ["SHA-1", "SHA-1 (used by most clients)"],
  ["SHA-256", "SHA-256"],
] as const;

/** The form that sends an OCSP request about a certificate. */
export function Ocsp(): JSX.Element {
  const all = useLoad(authorities, []);
  return <Ready from={all}>{(issuers) => <QueryForm all={issuers} />}</Ready>;
}

/** Returns the issuer of a stored certificate. */
async function issuerOf(
  serial: string,
  all: readonly Authority[],
): Promise<CertificateView | undefined> {
  const stored = await certificate(serial).catch(() => undefined);
  const view = stored && (await readCertificate(stored.certificate));
  return view && all.find((one) => isIssuerOf(one.view, view))?.view;
}

function QueryForm({ all }: { all: readonly Authority[] }): JSX.Element {
  const requested = useStore(route, (value) => value.query.get("serial") ?? "");
  const [serial, setSerial] = useState(requested);
  const [issuer, setIssuer] = useState("");
  const [hash, setHash] = useState<"SHA-1" | "SHA-256">("SHA-1");
  const [nonce, setNonce] = useState(true);
  const [wrong, setWrong] = useState({ serial: "", issuer: "" });
  const [shown, show] = useState<ShownResponse>();
  const act = useAct();
  const sendQuery = async (form: EventTarget | null): Promise<void> => {
    show(undefined);
    const chosen = all.find(({ record }) => record.issuer_id === issuer)?.view;
    const subjectIssuer = chosen ?? (await issuerOf(serial, all));
    if (!subjectIssuer) {
      setWrong({
        serial: "",
        issuer:
          "This mount has no certificate with this serial number. Choose the certificate’s issuer.",
      });
      return toWrong(form);
    }
    const exchanged = await askOcsp({ issuer: subjectIssuer, serial, hash, nonce });
    const { answer } = exchanged;
    const views = all.map(({ view }) => view);
    show({
      exchanged,
      verification: "failure" in answer ? undefined : await verifyOcsp(answer, views),
    });
  };
  useEffect(() => {
    // If a certificate's link opened this form, send the query at once.
    if (requested && !wrongSerial(requested)) act.run(() => sendQuery(null));
  }, []);
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const why = wrongSerial(serial);
    setWrong({ serial: why, issuer: "" });
    if (why) return toWrong(form);
    act.run(() => sendQuery(form));
  };
  return (
    <div class="stack">
      <Card title="Query the responder">
        <form class="pad stack close" onSubmit={submit} noValidate>
          <div class="serial">
            <Text
              label="Serial number"
              value={serial}
              change={setSerial}
              mono
              error={wrong.serial || undefined}
            />
          </div>
          <div class="pair">
            <Choice
              label="Issuer"
              value={issuer}
              change={setIssuer}
              options={[
                ["", "Issuer of the certificate"],
                ...all.map(({ record, name }) => [record.issuer_id, name] as const),
              ]}
              error={wrong.issuer || undefined}
            />
            <Choice
              label="CertID hash algorithm"
              value={hash}
              change={(value) => setHash(value === "SHA-256" ? value : "SHA-1")}
              options={hashes}
            />
          </div>
          <Check label="Send a nonce" checked={nonce} change={setNonce} />
          {act.error && <Failure error={act.error} />}
          <div class="actions">
            <Button kind="primary" submit busy={act.busy}>
              Query
            </Button>
          </div>
        </form>
      </Card>
      <p class="hidden-text" role="status">
        {shown ? spoken(shown.exchanged.answer) : ""}
      </p>
      {shown && <Answered {...shown} />}
    </div>
  );
}

/** Returns a summary of the response for screen readers. */
const spoken = (answer: OcspExchange["answer"]): string =>
  "failure" in answer
    ? `No response: ${answer.failure}`
    : answer.answers.map(({ state }) => `Response: ${state}`).join(", ");

function Answered({ exchanged, verification }: ShownResponse): JSX.Element {
  const { answer } = exchanged;
  if ("failure" in answer) return <OcspRefused view={answer} />;
  return (
    <OcspFinding
      view={answer}
      verification={verification}
      nonce={<NonceText of={exchanged} got={answer.nonce} />}
      end={<Downloads of={exchanged} />}
    />
  );
}

/** States whether the response has the nonce of the request. */
function NonceText({ of, got }: { of: OcspExchange; got: string | undefined }): JSX.Element {
  if (of.nonce === undefined)
    return <>{got === undefined ? "None sent" : "None sent, but one received"}</>;
  if (got === of.nonce)
    return (
      <Badge tone="ok" mark="check">
        Matches the request
      </Badge>
    );
  return got === undefined ? (
    <Badge tone="warn" mark="warn">
      None received: the response may be older
    </Badge>
  ) : (
    <Badge tone="danger" mark="x">
      A different nonce was received
    </Badge>
  );
}

function Downloads({ of: { question, request, answer } }: { of: OcspExchange }): JSX.Element {
  const file = fileName(question.serial.slice(0, 16));
  return (
    <>
      <Button
        tiny
        icon="down"
        label="Download the OCSP request"
        press={() => save(`${file}.ocsp-request.der`, "application/ocsp-request", request)}
      >
        Request
      </Button>
      <Button
        tiny
        icon="down"
        label="Download the OCSP response"
        press={() => save(`${file}.ocsp-response.der`, "application/ocsp-response", answer.der)}
      >
        Response
      </Button>
      <CopyButton text={opensslCommand(question, responderUrl())} words="Copy openssl command" />
    </>
  );
}
