import { missingPermission } from "../../api/permissions.ts";
import { readExternalPolicy, writeExternalPolicy } from "../../api/endpoints/pki.ts";
import { can } from "../../api/openapi.ts";
import type { ComponentChildren, JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../../lib/use-action.ts";
import {
  checkExternalPolicy,
  externalPolicy,
  saveExternalPolicy,
  type ExternalPolicy,
} from "./calls.ts";
import type { CheckExternalPolicyReply } from "../../../src/client/pki.ts";
import { externalFields, externalRecord, filters, wrongExternal } from "./fields.ts";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/code.tsx";
import { Text } from "../../ui/field.tsx";
import { Badge } from "../../ui/icon.tsx";
import { Card, Empty, Facts, Failure, Head, Note, Ready } from "../../ui/page.tsx";
import { changes } from "../../lib/changes.ts";
import { place } from "../../lib/place.ts";
import { useLoad } from "../../lib/use-load.ts";
import { useStore } from "../../lib/store.ts";
import { instant } from "../../lib/time-text.ts";
import { visible } from "../../lib/visible-text.ts";
import { curl, tokenHeader } from "../../ui/same-request.tsx";
import { SettingForm } from "../../ui/setting-form.tsx";

const about =
  "Your own service decides on each request. It returns a certificate template, from which this server creates and signs the certificate.";

/** The view of a mount's external policy, with the results of the latest calls to the service. */
export function External(): JSX.Element {
  const turn = useStore(changes, (value) => value.turn);
  const there = useLoad(() => can(readExternalPolicy), []);
  const result = useLoad(externalPolicy, [turn]);
  const head = (
    <Head
      title="External policy"
      about={about}
      actions={result.value && <State on={result.value.enabled} />}
    />
  );
  if (there.value === false)
    return (
      <>
        {head}
        <div class="card">
          <Empty text="External policy is not available: the server is too old, or your token cannot read the settings." />
        </div>
      </>
    );
  return (
    <>
      {head}
      <Ready from={result}>{(config) => <Shown config={config} again={result.again} />}</Ready>
    </>
  );
}

const State = ({ on }: { on: boolean }): JSX.Element => (
  <Badge tone={on ? "ok" : ""} mark={on ? "check" : "x"}>
    {on ? "On" : "Off"}
  </Badge>
);

interface Of {
  config: ExternalPolicy;
}

function Shown({ config, again }: Of & { again: () => void }): JSX.Element {
  const browser = useStore(place, ({ kind }) => kind === "browser");
  return (
    <div class="stack">
      {browser && <InBrowser />}
      <Service config={config} again={again} />
      <Settings config={config} browser={browser} />
      {!browser && <Issuing />}
    </div>
  );
}

const asFunction = `createCa({
  // …
  externalPolicy: async (request, signal) => ({
    request_uuid: request.request_uuid,
    error: "not today",
  }),
});`;

/** The notice that a page cannot call a policy service, with an alternative. */
const InBrowser = (): JSX.Element => (
  <Card title="In this browser">
    <div class="pad stack close">
      <Note tone="warn" icon="warn">
        <b>A browser page cannot call a policy service</b>
        <p class="small">
          An authority in the browser cannot open connections to other servers, so it rejects
          requests that need the external policy. External policies work on Cloudflare Workers and
          in Node.
        </p>
      </Note>
      <p>In your own program, including a web page, a function can make the decision:</p>
      <Code text={asFunction} label="A policy function" wrap />
    </div>
  </Card>
);

/** Returns the name of the configured service. */
const serviceName = ({ external_service_url: url, service }: ExternalPolicy): string =>
  service !== ""
    ? `Service binding ${visible(service)}`
    : url !== ""
      ? visible(url)
      : "No service configured";

const written = (rfc: string): string =>
  rfc === "" || rfc.startsWith("0001-") ? "Never" : instant(new Date(rfc));

function lastAnswer({
  external_service_validated: valid,
  last_successful_request: success,
  last_failed_request: failure,
}: ExternalPolicy): ComponentChildren {
  if (!valid && success === "" && !failure) return "None since the server started";
  return (
    <Badge tone={valid ? "ok" : "danger"} mark={valid ? "check" : "x"}>
      {valid ? "Valid" : "Invalid"}
    </Badge>
  );
}

function Service({ config, again }: Of & { again: () => void }): JSX.Element {
  const [policy, name] = useState("");
  const [reply, setReply] = useState<CheckExternalPolicyReply>();
  const act = useAct();
  const check = (event: Event): void => {
    event.preventDefault();
    setReply(undefined);
    act.run(async () => {
      try {
        setReply(await checkExternalPolicy(policy.trim()));
      } finally {
        again();
      }
    });
  };
  const failed = config["last_failed_request"];
  const why = config["last_failure"];
  return (
    <Card title="The service">
      <Facts
        rows={[
          ["Service", serviceName(config)],
          ["Last response", lastAnswer(config)],
          ["Last success", written(config.last_successful_request)],
          typeof failed === "string" &&
            failed !== "" && [
              "Last failure",
              `${written(failed)}${typeof why === "string" && why ? `: ${visible(why)}` : ""}`,
            ],
          ["Settings changed", written(config.external_service_last_updated)],
        ]}
      />
      <form class="pad stack close" onSubmit={check} noValidate>
        <Text
          label="Policy name"
          value={policy}
          change={name}
          mono
          hint="The last segment of the request path, which may be empty. A check issues nothing."
        />
        <div class="actions from-start">
          <Button submit busy={act.busy}>
            Check now
          </Button>
        </div>
        <div role="status">{reply && <CheckResult reply={reply} />}</div>
        {act.error && <Failure error={act.error} />}
      </form>
    </Card>
  );
}

/**
 * The outcome of a test request to the policy service: accepted, rejected, or the reason why it
 * failed.
 */
function CheckResult({
  reply: { valid, accepted, message, milliseconds },
}: {
  reply: CheckExternalPolicyReply;
}) {
  const tone = !valid ? "danger" : accepted ? "" : "warn";
  const title = !valid
    ? "Invalid response"
    : accepted
      ? "The service accepted the request"
      : "The service rejected the request";
  return (
    <Note tone={tone} icon={valid ? (accepted ? "info" : "warn") : "x"}>
      <b>{title}</b>
      <p class="small">
        {visible(message)} ({milliseconds} ms)
      </p>
    </Note>
  );
}

function Settings({ config, browser }: Of & { browser: boolean }): JSX.Element {
  const fields = externalFields(browser);
  return (
    <Card title="Settings">
      <div class="pad">
        <SettingForm
          record={externalRecord(config)}
          fields={fields}
          more={browser ? [] : filters}
          moreTitle="Data about the caller"
          wrongIn={(typed) => wrongExternal(typed, [...fields, ...filters])}
          save={saveExternalPolicy}
          lacks={missingPermission(writeExternalPolicy)}
        >
          {!browser && (
            <p class="small muted">
              The service receives each request unchanged. About the caller, it receives only what
              the JMESPath expressions below select.
            </p>
          )}
        </SettingForm>
      </div>
    </Card>
  );
}

/** An example of a request that issues a certificate. */
function Issuing(): JSX.Element {
  const mount = useStore(place, (value) => value.mount);
  const text = curl("POST", `/v1/${mount}/external-policy/issue/POLICY`, [tokenHeader], {
    key_type: "ec",
    common_name: "www.example.com",
  });
  return (
    <Card title="Requesting a certificate">
      <div class="pad stack close">
        <p>
          Requests to issue by external policy have no role. Unknown request fields are passed to
          the service unchanged.
        </p>
        <Code text={text} label="Example request" wrap />
      </div>
    </Card>
  );
}
