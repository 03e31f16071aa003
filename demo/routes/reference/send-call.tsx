import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { perform } from "../../api/call.ts";
import type { ApiCall } from "../../api/openapi-calls.ts";
import { ApiError } from "../../api/transport.ts";
import { missingOf, useAcl } from "../../api/permissions.ts";
import { announceChange } from "../../lib/changes.ts";
import { visible, visibleJson } from "../../lib/visible-text.ts";
import { place, placeName } from "../../lib/place.ts";
import { useAct } from "../../lib/use-action.ts";
import { Button } from "../../ui/button.tsx";
import { Code } from "../../ui/code.tsx";
import { Choice, Lines, Text } from "../../ui/field.tsx";
import { Confirm, toWrong } from "../../ui/form.tsx";
import { Failure, Warnings } from "../../ui/page.tsx";
import {
  dryRunOf,
  isRead,
  parametersOf,
  requestOfCall,
  type CallParameter,
} from "./call-request.ts";
import { keyWarnings } from "./key-effects.ts";
import type { NamedSchemas } from "./schemas.ts";

/** The values in the form of a call. */
interface Typed {
  readonly values: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Parses the entered body. Returns an error if it is not a JSON object. */
function bodyOf(text: string): { readonly body: object | undefined } | { readonly why: string } {
  if (text.trim() === "") return { body: undefined };
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === "object" && body !== null && !Array.isArray(body)
      ? { body }
      : { why: "Expected a JSON object" };
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) };
  }
}

const wrongIn = (parameters: readonly CallParameter[], { values, body }: Typed) => ({
  missing: parameters.filter(({ isRequired, name }) => isRequired && !values[name]),
  body: bodyOf(body),
});

interface Outcome {
  readonly of: string;
  readonly isDry: boolean;
  readonly data: unknown;
  readonly warnings: readonly string[];
  /** A sentence with the HTTP status and the response time in ms. */
  readonly measured: string;
}

export interface SendCallProps {
  named: NamedSchemas;
  call: ApiCall;
  all: readonly ApiCall[];
  members: readonly { readonly name: string }[];
  /** An example of the body; undefined if the call has no body. */
  example: object | undefined;
}

/** The form that sends a call with the current token and shows the response. */
export function SendCall({ call, all, members, example, named }: SendCallProps): JSX.Element {
  useAcl();
  const cautions = keyWarnings(call, named);
  const { mount } = place.get();
  const parameters = parametersOf(call);
  const [typed, type] = useState<Typed>({
    values: {},
    body: example ? JSON.stringify(example, null, 2) : "",
  });
  const [tried, setTried] = useState(false);
  const [asking, setAsking] = useState(false);
  const [outcome, show] = useState<Outcome>();
  const act = useAct();
  const wrong = wrongIn(parameters, typed);
  const body = "body" in wrong.body ? wrong.body.body : undefined;
  const request = requestOfCall(call, mount, typed.values, body);
  const dry = dryRunOf(call, all, members);
  const dryRequest = dry && requestOfCall(dry.call, mount, typed.values, { ...body, ...dry.body });
  const [failed, setFailed] = useState("");
  const run = async (to: typeof request, changes: boolean): Promise<void> => {
    const from = performance.now();
    const after = (): string => `after ${Math.round(performance.now() - from)} ms`;
    setFailed("");
    const { data, warnings, status } = await perform(to).catch((error: unknown) => {
      if (error instanceof ApiError && error.status > 0)
        setFailed(`Status ${error.status} ${after()}.`);
      throw error;
    });
    const measured = `Status ${status ?? "unknown"} ${after()}.`;
    show({ of: `${to.verb} /v1/${to.path}`, isDry: to === dryRequest, data, warnings, measured });
    if (changes) announceChange();
  };
  const ifComplete = (form: EventTarget | null, then: () => void): void => {
    setTried(true);
    if (wrong.missing.length > 0 || "why" in wrong.body) return toWrong(form);
    then();
  };
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    ifComplete(event.currentTarget, () =>
      isRead(call) ? act.run(() => run(request, false)) : setAsking(true),
    );
  };
  const tryOut = (): void =>
    ifComplete(null, () => dryRequest && act.run(() => run(dryRequest, false)));
  return (
    <form class="stack close" onSubmit={submit} noValidate aria-label={`Send ${call.path}`}>
      <CallFields
        {...{ parameters, typed, type }}
        hasBody={example !== undefined || members.length > 0}
        missing={tried ? wrong.missing : []}
        bodyError={tried && "why" in wrong.body ? wrong.body.why : undefined}
      />
      <Warnings texts={cautions} />
      {act.error && <Failure error={act.error}>{failed}</Failure>}
      <div class="actions">
        {dryRequest && (
          <Button lacks={missingOf(dryRequest)} busy={act.busy} press={tryOut}>
            Dry run
          </Button>
        )}
        <Button kind="primary" submit lacks={missingOf(request)} busy={act.busy}>
          {isRead(call) ? "Send" : "Send…"}
        </Button>
      </div>
      {outcome && !act.error && <Reply {...outcome} />}
      {asking && (
        <Confirm
          title="Send this request?"
          close={() => setAsking(false)}
          action="Send"
          work={async () => {
            // the status and the error appear in the form
            setAsking(false);
            act.run(() => run(request, true));
          }}
        >
          <p>
            <code class="break">{visible(`${request.verb} /v1/${request.path}`)}</code>
          </p>
          <p>
            This request {request.verb === "DELETE" ? "deletes data from" : "can change"}{" "}
            {placeName(place.get())}, and is recorded in the audit log.
          </p>
          <Warnings texts={cautions} />
        </Confirm>
      )}
    </form>
  );
}

interface FieldsProps {
  parameters: readonly CallParameter[];
  typed: Typed;
  type: (typed: Typed) => void;
  hasBody: boolean;
  missing: readonly CallParameter[];
  bodyError: string | undefined;
}

function CallFields(props: FieldsProps): JSX.Element {
  const { parameters, typed, type, hasBody, missing, bodyError } = props;
  return (
    <>
      {parameters.length > 0 && (
        <div class="pair">
          {parameters.map((parameter) => (
            <Parameter
              key={parameter.name}
              of={parameter}
              value={typed.values[parameter.name] ?? ""}
              change={(value) =>
                type({ ...typed, values: { ...typed.values, [parameter.name]: value } })
              }
              error={missing.includes(parameter) ? "Required" : undefined}
            />
          ))}
        </div>
      )}
      {hasBody && (
        <Lines
          label="Body"
          rows={Math.min(12, Math.max(3, typed.body.split("\n").length))}
          mono
          value={typed.body}
          change={(body) => type({ ...typed, body })}
          error={bodyError}
        />
      )}
    </>
  );
}

function Parameter({
  of: { name, hint, example, schema, isRequired },
  ...shared
}: {
  of: CallParameter;
  value: string;
  change: (value: string) => void;
  error: string | undefined;
}): JSX.Element {
  const label = <code>{name}</code>;
  const about = hint.replaceAll("`", "");
  if (schema.type === "boolean")
    return (
      <Choice
        label={label}
        hint={about}
        {...shared}
        options={[
          ["", "Default"],
          ["true", "true"],
          ["false", "false"],
        ]}
      />
    );
  return (
    <Text
      label={label}
      hint={isRequired ? about : `${about} Optional.`}
      placeholder={example}
      mono
      {...shared}
    />
  );
}

const Reply = ({ of, isDry, data, warnings, measured }: Outcome): JSX.Element => (
  <div role="status" class="stack close">
    <p>
      {isDry ? "Dry run: nothing was changed." : "The server accepted the request."} {measured}
    </p>
    <Warnings texts={warnings} />
    {data === undefined || data === null ? (
      <p>The response has no data.</p>
    ) : (
      <Code text={visibleJson(JSON.stringify(data, null, 2))} label={`Response to ${of}`} wrap />
    )}
  </div>
);
