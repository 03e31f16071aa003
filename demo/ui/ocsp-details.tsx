import type { ComponentChildren, JSX } from "preact";
import { crlHeadline } from "../lib/inspection/headline.ts";
import type { AnswerView, OcspRefusal, OcspRequestView, OcspView } from "../lib/x509/ocsp-view.ts";
import type { Verification } from "../lib/inspection/verify-node.ts";
import { reasonWords } from "../lib/revocation-reasons.ts";
import { distance, instant } from "../lib/time-text.ts";
import { sizeText } from "../lib/size-text.ts";
import { Digits } from "./digits.tsx";
import { Badge, type IconName } from "./icon.tsx";
import { Card, Facts } from "./page.tsx";
import { SignatureRefused } from "./signature-refused.tsx";
import { Remarks } from "./remarks.tsx";
import { Moment } from "./life-state.tsx";

const states: Readonly<
  Record<AnswerView["state"], readonly [text: string, tone: string, mark: IconName]>
> = {
  good: ["Good", "ok", "check"],
  revoked: ["Revoked", "danger", "ban"],
  unknown: ["Unknown", "warn", "info"],
};

const failures: Readonly<Record<string, string>> = {
  malformedRequest: "The responder could not parse the request",
  internalError: "The responder reported an internal error",
  tryLater: "The responder asks you to try again later",
  sigRequired: "The responder requires signed requests",
  unauthorized:
    "The responder declined: OCSP is disabled, or the issuer is not allowed to sign responses",
};

type Fact = readonly [string, ComponentChildren, boolean?] | false;

function factsOf(answer: AnswerView): readonly Fact[] {
  const { serial, state, revoked, reason, thisUpdate, nextUpdate } = answer;
  const [text, tone, mark] = states[state];
  return [
    ["Serial number", <Digits of={serial} copy="the serial number" />, true],
    [
      "Status",
      <Badge tone={tone} mark={mark}>
        {text}
      </Badge>,
    ],
    revoked !== undefined && [
      "Revoked",
      `${instant(revoked)}, ${reason === "" ? "no reason given" : reasonWords(reason)}`,
    ],
    ["This update", <Moment at={thisUpdate} />],
    [
      "Next update",
      nextUpdate
        ? `${instant(nextUpdate)}, ${distance(nextUpdate, new Date())}`
        : "Not set: newer responses are always available",
    ],
  ];
}

interface Props {
  view: OcspView;
  verification: Verification | undefined;
  /** A note about the nonce. By default, the value of the nonce is shown. */
  nonce?: ComponentChildren;
  end?: ComponentChildren;
}

/** A signed OCSP response with its contents, responder and verification. */
export function OcspFinding({ view, verification, nonce, end }: Props): JSX.Element {
  const { answers, responder, producedAt, certificates, signature } = view;
  const ends = answers.flatMap(({ nextUpdate }) => nextUpdate ?? []);
  const first = ends.toSorted((a, b) => a.getTime() - b.getTime())[0];
  return (
    <Card
      title="OCSP response"
      end={
        <>
          <Remarks of={crlHeadline(first, new Date(), verification)} />
          <span class="small muted">{sizeText(view.der.length)}</span>
          {end}
        </>
      }
    >
      <SignatureRefused verification={verification} />
      <Facts
        rows={[
          ...answers.flatMap(factsOf),
          ["Produced", <Moment at={producedAt} />],
          ["Responder", responder],
          certificates.length > 0 && [
            "Included certificates",
            certificates.map(({ title, ends }) => `${title}, until ${instant(ends)}`).join("; "),
          ],
          ["Signature", signature],
          verification !== undefined && ["Verified", verification.why],
          ["Nonce", nonce ?? (view.nonce ? <Digits of={view.nonce} /> : "None")],
        ]}
      />
    </Card>
  );
}

/** An OCSP response with an error status. */
export function OcspRefused({ view }: { view: OcspRefusal }): JSX.Element {
  return (
    <Card title="OCSP response" end={<Badge tone="warn">{view.failure}</Badge>}>
      <p class="pad">{failures[view.failure] ?? view.failure}. The response is not signed.</p>
    </Card>
  );
}

/** The contents of an OCSP request. */
export function OcspRequestFinding({ view }: { view: OcspRequestView }): JSX.Element {
  return (
    <Card title="OCSP request" end={<span class="small muted">{sizeText(view.der.length)}</span>}>
      <Facts
        rows={[
          ...view.requested.flatMap(({ serial, hash }): readonly Fact[] => [
            ["Serial number", <Digits of={serial} copy="the serial number" />, true],
            ["CertID hash algorithm", hash],
          ]),
          ["Nonce", view.nonce ? <Digits of={view.nonce} /> : "None"],
        ]}
      />
    </Card>
  );
}
