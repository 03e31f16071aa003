import type { JSX } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { useAct } from "../lib/use-action.ts";
import { signIn, tryConnection, visibleMethods } from "../api/connection.ts";
import { ApiError } from "../api/transport.ts";
import { loginRequest } from "../api/login-request.ts";
import { beginSignIn, redirectUri } from "../api/oidc-sign-in.ts";
import {
  explainLoginError,
  methodPath,
  signInTabs,
  usesProvider,
  signInTypes,
  wrongCredentials,
  type Credentials,
  type ListedMethod,
  type SignInTab,
} from "../lib/credentials.ts";
import { Button } from "./button.tsx";
import { Check, Text } from "./field.tsx";
import { toWrong } from "./form.tsx";
import { useLeaving } from "./leave-unsaved.tsx";
import { Failure, Note } from "./page.tsx";
import { Tabs } from "./tabs.tsx";
import { toast } from "./toast.tsx";
import { connect, pageLocation, place, placeName, type Place } from "../lib/place.ts";
import { address } from "../lib/route.ts";
import { useLoad } from "../lib/use-load.ts";
import { bareMount, readAddress, wrongMount } from "../lib/page-location.ts";
import { visible } from "../lib/visible-text.ts";
import { wrongToken } from "../lib/token-syntax.ts";
import { lastMethod, usedMethod } from "../lib/last-method.ts";
import { CredentialFields, MethodPath } from "./credentials-fields.tsx";

/** The validation errors of the form's fields; empty for valid fields. */
interface Wrong {
  readonly base: string;
  readonly mount: string;
  readonly varsToken: string;
  /** Errors of the sign-in fields, by name. */
  readonly credentials: Readonly<Record<string, string>>;
}
const nothing: Wrong = { base: "", mount: "", varsToken: "", credentials: {} };

/** Logs in if necessary, and tests the connection. Returns the server with the token. */
async function tried(to: Place, given: Credentials): Promise<Place> {
  const request = loginRequest(given);
  if (request)
    return signIn(to, request).catch((error: unknown) => {
      const text = error instanceof ApiError ? explainLoginError(error, given) : undefined;
      throw text === undefined ? error : new Error(visible(text));
    });
  await tryConnection(to);
  return to;
}

/** Opens the page of an identity provider. Resolves if the user returns to this page with Back. */
const leaveFor = (url: string): Promise<void> =>
  new Promise((resolve) => {
    addEventListener("pageshow", () => resolve(), { once: true });
    location.assign(url);
  });

const tokenTab: SignInTab = { way: "token", at: "", title: "" };
const keyOf = ({ way, at }: SignInTab): string => `${way} ${at}`;

/**
 * Returns the tabs of the form, the index of the current tab, and its contents. If `server` is
 * known, the method that was last used there is selected initially.
 */
function useCredentials(listed: readonly ListedMethod[], server: string | undefined) {
  // Empty until the user types or chooses a tab. Until then, another tab may be shown once the
  // methods have been loaded.
  const [chosen, setChosen] = useState("");
  const [typed, type] = useState<Partial<Credentials>>({});
  const tabs = signInTabs(listed);
  const wanted = chosen || (server === undefined ? "" : lastMethod(server));
  const exact = tabs.findIndex((tab) => keyOf(tab) === wanted);
  const similar = tabs.findIndex(({ way }) => way === wanted.split(" ")[0]);
  const index = exact >= 0 ? exact : Math.max(0, similar);
  const tab = tabs[index] ?? tokenTab;
  const credentials: Credentials = { token: "", values: {}, at: tab.at, ...typed, way: tab.way };
  return {
    tabs,
    index,
    tab,
    given: credentials,
    isChosen: chosen !== "",
    change(next: Credentials): void {
      setChosen(keyOf(tab));
      type(next);
    },
    choose(next: number): void {
      setChosen(keyOf(tabs[next] ?? tokenTab));
      type({ token: credentials.token });
    },
  };
}

/** The fields of the form other than the credentials. */
interface Entry {
  readonly base: string;
  readonly mount: string;
  readonly varsToken: string;
  /** Whether to keep the token after a reload. */
  readonly keep: boolean;
}

/** Returns the validation errors of the form and, if there are none, the entered server. */
function readEntry(
  { base, mount, varsToken }: Entry,
  credentials: Credentials,
): { readonly wrong: Wrong; readonly to?: Place } {
  const read = readAddress(base, pageLocation);
  const wrong = {
    base: "why" in read ? read.why : "",
    mount: wrongMount(bareMount(mount)),
    varsToken: wrongToken(varsToken),
    credentials: wrongCredentials(credentials, varsToken.trim() === ""),
  };
  if ("why" in read || wrong.mount || wrong.varsToken || Object.keys(wrong.credentials).length > 0)
    return { wrong };
  const tokens = { token: credentials.token.trim(), varsToken: varsToken.trim() };
  const server = { kind: "worker", base: read.base, mount: bareMount(mount) } as const;
  return { wrong, to: { ...server, ...tokens, onlyNamed: false } };
}

const initialEntry = (where: Place, fixed: string | undefined): Entry => ({
  base: fixed ?? connectedBase(where),
  mount: where.mount,
  varsToken: "",
  keep: false,
});

/** Reports whether the user has entered credentials. */
const hasCredentials = ({ token, values }: Credentials): boolean =>
  token !== "" || Object.values(values).some(Boolean);

/** The form that signs in to a server. `fixed` is the URL of the server if it cannot be changed. */
export function ConnectForm({
  fixed,
  done,
  children,
}: {
  fixed?: string;
  done: () => void;
  children?: JSX.Element | undefined | false;
}): JSX.Element {
  const where = place.get();
  const [initial] = useState(() => initialEntry(where, fixed));
  const [entry, setEntry] = useState(initial);
  const [wrong, setWrong] = useState(nothing);
  const act = useAct();
  // Load login methods only from a fixed server, not while a URL is being typed.
  const listed = useLoad(async () => (fixed === undefined ? [] : visibleMethods(where)), []);
  const credentials = useCredentials(listed.value ?? [], fixed);
  const { given, change } = credentials;
  const isLeaving = usesProvider(given);
  const isTyped = fixed === undefined && (entry !== initial || hasCredentials(given));
  const { free, asking } = useLeaving(isTyped, "connection");
  const set = (changed: Partial<Entry>): void => setEntry({ ...entry, ...changed });
  const run = async (to: Place): Promise<void> => {
    const { keep } = entry;
    const method = keyOf(credentials.tab);
    if (isLeaving) {
      const hash = fixed === undefined ? address("overview") : location.hash;
      const role = given.values["role"]?.trim() ?? "";
      const provider = await beginSignIn(to, { at: methodPath(given), role, keep, hash });
      free.current = true;
      usedMethod(to.base, method);
      return leaveFor(provider);
    }
    const signedIn = await tried(to, given);
    usedMethod(to.base, method);
    free.current = true;
    finishConnection(signedIn, keep);
    done();
  };
  const begin = (event: SubmitEvent): void => {
    event.preventDefault();
    const { wrong: why, to } = readEntry(entry, given);
    setWrong(why);
    toWrong(event.currentTarget);
    // Run even if a field is invalid, to clear the error of an earlier attempt. Field errors are
    // shown immediately.
    act.run(async () => to && run(to));
  };
  const mount = (
    <MountField value={entry.mount} change={(of) => set({ mount: of })} error={wrong.mount} />
  );
  return (
    <form class="pad stack" onSubmit={begin} noValidate>
      {fixed === undefined && (
        <>
          <AddressField
            base={entry.base}
            change={(value) => set({ base: value })}
            why={wrong.base}
          />
          {mount}
        </>
      )}
      <CredentialTabs of={credentials} wrong={wrong.credentials} focus={fixed !== undefined} />
      {fixed === undefined && (
        <VarsTokenField
          value={entry.varsToken}
          change={(value) => set({ varsToken: value })}
          error={wrong.varsToken}
        />
      )}
      <Check
        label="Keep me signed in until this tab closes"
        hint={keepHint(given)}
        checked={entry.keep}
        change={(keep) => set({ keep })}
      />
      {act.error && <Failure error={act.error} />}
      <div class="actions">
        <Button kind="primary" submit busy={act.busy}>
          {buttonText(isLeaving, fixed !== undefined, credentials.tab)}
        </Button>
        {children}
      </div>
      {asking}
      {(fixed !== undefined || given.way !== "token") && (
        <details>
          <summary>Advanced</summary>
          <div class="stack close">
            {fixed !== undefined && mount}
            {given.way !== "token" && (
              <MethodPath credentials={given} wrong={wrong.credentials} change={change} />
            )}
            {isLeaving && <RedirectUri />}
          </div>
        </details>
      )}
    </form>
  );
}

/** Explains the choice: a login creates a token, a given token exists anyway. */
const keepHint = ({ way }: Credentials): string =>
  `Stores the token in this tab. Otherwise a reload signs you out${way === "token" ? "" : ", and the token stays valid on the server until it expires"}.`;

type FieldProps = Pick<Parameters<typeof Text>[0], "value" | "change" | "error">;

const MountField = (props: FieldProps): JSX.Element => (
  <Text label="Mount" {...props} hint="The PKI to open. You can change it later." mono />
);

const VarsTokenField = (props: FieldProps): JSX.Element => (
  <Text
    label="Token for the variables API"
    type="password"
    {...props}
    hint="Needed only for the Variables view, which also asks for this token. It is stored in the same way as the token that you sign in with."
  />
);

/**
 * Returns the text of the submit button. For a listed method, it contains the method's description.
 */
function buttonText(isLeaving: boolean, isSignIn: boolean, { way, at, title }: SignInTab): string {
  if (!isLeaving) return isSignIn ? "Sign in" : "Connect";
  return at !== "" && title !== signInTypes[way].title
    ? `Sign in with ${visible(title)}`
    : "Continue to the identity provider";
}

/**
 * The ways to sign in, as tabs. If `focus` is set, the first field gets the focus until the user
 * chooses a tab.
 */
function CredentialTabs({
  of: { tabs, index, tab, given, isChosen, change, choose },
  wrong,
  focus,
}: {
  of: ReturnType<typeof useCredentials>;
  wrong: Wrong["credentials"];
  focus: boolean;
}): JSX.Element {
  const row = useRef<HTMLDivElement>(null);
  const first =
    given.way === "oidc" || (given.way === "jwt" && tab.at !== "")
      ? "[type=submit]"
      : "[role=tabpanel]:not([hidden]) input";
  useEffect(() => {
    // The effect runs after a navigation has given the focus to the title.
    if (focus && !isChosen)
      row.current
        ?.closest("form")
        ?.querySelector<HTMLElement>(first)
        ?.focus({ preventScroll: true });
  }, [index, first]);
  return (
    <div class="stack close" ref={row}>
      <Tabs
        label="Sign in with"
        panelLabel="Credentials"
        shown={index}
        choose={choose}
        panels={tabs.map(({ title }) => [
          visible(title),
          () => (
            <div class="stack close">
              <CredentialFields
                credentials={given}
                wrong={wrong}
                change={change}
                isListed={tab.at !== ""}
              />
            </div>
          ),
        ])}
      />
    </div>
  );
}

const RedirectUri = (): JSX.Element => (
  <p class="small muted">
    The role and the client at the identity provider must allow this redirect URI:{" "}
    <code class="break">{redirectUri()}</code>
  </p>
);

/**
 * Returns the initial URL: the current server's, or else the URL of the server that hosts this
 * page.
 */
const connectedBase = ({ kind, base, onlyNamed }: Place): string =>
  kind === "worker" && base && !onlyNamed
    ? base
    : pageLocation.page === "connect"
      ? ""
      : pageLocation.origin;

/** Switches to a server and a token. Stores the token in this tab if `keep` is set. */
export function finishConnection(signedIn: Place, keep: boolean): void {
  const connected = connect(signedIn, keep);
  toast(
    `Signed in to ${placeName(place.get())}${connected ? "" : ". This browser cannot store tokens, so you must sign in again after a reload."}`,
  );
}

function AddressField({
  base,
  change,
  why,
}: {
  base: string;
  change: (value: string) => void;
  why: string;
}): JSX.Element {
  return (
    <>
      <Text
        label="Address"
        type="url"
        complete="url"
        placeholder="https://ca.example.net"
        value={base}
        change={change}
        error={why && why !== "elsewhere" ? why : undefined}
      />
      {why === "elsewhere" && (
        <Note tone="warn" icon="warn">
          This page can only reach its own origin. <a href="connect.html">connect.html</a> can reach
          other servers and has no authority of its own.
        </Note>
      )}
    </>
  );
}
