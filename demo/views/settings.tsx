import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { useAct } from "../act.ts";
import { tryConnection } from "../api.ts";
import { Button } from "../parts/button.tsx";
import { Badge } from "../parts/icon.tsx";
import { Card, Facts, Failure, Head, Note, Ready } from "../parts/page.tsx";
import { Check, Text } from "../parts/field.tsx";
import { connect, connectOnly, disconnect, place, placeName } from "../place.ts";
import { toast } from "../parts/toast.tsx";
import { address, open } from "../route.ts";
import { useLoad, useStore } from "../store.ts";
import { choose, theme, type Theme } from "../theming.ts";
import { size } from "../words.ts";
import { serviceWorker, update } from "../worker.ts";

/** Appearance, connection, storage, version. */
export function Settings(): JSX.Element {
  const where = useStore(place, (value) => value);
  const waiting = useStore(serviceWorker, (value) => value.waiting);
  return (
    <>
      <Head title="Settings" />
      <div class="stack">
        {waiting && (
          <Note>
            <b>A new version is ready</b>
            <p class="small">It takes over when this page is loaded again. Nothing that is stored changes.</p>
            <p>
              <Button tiny press={update}>
                Load it now
              </Button>
            </p>
          </Note>
        )}
        <div class="cols">
          <Connection />
          <div class="stack">
            <Appearance />
            {where.kind === "browser" && <Storage />}
          </div>
        </div>
      </div>
    </>
  );
}

function Appearance(): JSX.Element {
  const chosen = useStore(theme, (value) => value.chosen);
  const options: readonly (readonly [Theme, string])[] = [
    ["system", "As the system"],
    ["light", "Light"],
    ["dark", "Dark"],
  ];
  return (
    <Card title="Appearance">
      <div class="pad">
        <div class="pick" role="group" aria-label="Theme">
          {options.map(([value, text]) => (
            <button key={value} type="button" aria-pressed={value === chosen} onClick={() => choose(value)}>
              {text}
            </button>
          ))}
        </div>
      </div>
    </Card>
  );
}

/** The address without path and slash, or why it cannot be used. */
function readAddress(typed: string): { base: string } | { why: string } {
  let url: URL;
  try {
    url = new URL(typed.trim());
  } catch {
    return { why: `${typed.trim() || "Nothing"}: not an address. Write https://ca.example.net` };
  }
  if (url.username || url.password || url.search || url.hash) return { why: "Only the address: no name, password, query or fragment" };
  const near = url.hostname === "localhost" || url.hostname === "127.0.0.1";
  if (url.protocol !== "https:" && !(url.protocol === "http:" && near) && url.origin !== location.origin) return { why: "A token only travels over https" };
  const base = url.href.replace(/\/+$/, "").replace(/\/v1$/, "");
  return url.origin === location.origin || connectOnly ? { base } : { why: "elsewhere" };
}

function Connection(): JSX.Element {
  const where = useStore(place, (value) => value);
  const [base, setBase] = useState(where.kind === "worker" && where.base ? where.base : connectOnly ? "" : location.origin);
  const [mount, setMount] = useState(where.mount);
  const [token, setToken] = useState("");
  const [varsToken, setVarsToken] = useState("");
  const [keep, setKeep] = useState(false);
  const [why, setWhy] = useState("");
  const act = useAct();
  const begin = (event: Event): void => {
    event.preventDefault();
    const read = readAddress(base);
    setWhy("why" in read ? read.why : "");
    // Nothing to do is done at once, and takes away what was said of an earlier try.
    if ("why" in read) return act.run(async () => undefined);
    const to = { base: read.base, mount: mount.trim().replace(/^\/+|\/+$/g, "") || "pki", token: token.trim(), varsToken: varsToken.trim() };
    act.run(async () => {
      await tryConnection({ kind: "worker", ...to });
      const kept = connect(to, keep);
      setToken("");
      setVarsToken("");
      toast(`Connected to ${placeName(place.get())}${kept ? "" : ". This browser keeps no tokens: they are kept in memory only"}`);
      open(address("overview"));
    });
  };
  const connected = where.kind === "worker" && where.base !== "";
  return (
    <Card title="Connect to a Worker" end={connected ? <Badge tone="accent">{placeName(where)}</Badge> : undefined}>
      <form class="pad stack" onSubmit={begin} noValidate>
        <AddressField base={base} change={setBase} why={why} />
        <Text label="Mount" value={mount} change={setMount} mono />
        <Text
          label="Token"
          type="password"
          complete="current-password"
          value={token}
          change={setToken}
          hint="Kept in memory until this page is closed. Pasting and password managers work."
        />
        <Text
          label="Token of the variables API"
          type="password"
          value={varsToken}
          change={setVarsToken}
          hint="Only for Variables, which has tokens of its own. Held like the other."
        />
        <Check label="Keep the tokens until this tab closes" hint="Also over a reload, in the tab’s session storage." checked={keep} change={setKeep} />
        {act.error && <Failure error={act.error} />}
        <div class="actions">
          <Button kind="primary" submit busy={act.busy}>
            Connect
          </Button>
          {connected && (
            <Button
              press={() => {
                disconnect();
                toast("Signed out");
              }}
            >
              Sign out
            </Button>
          )}
        </div>
      </form>
    </Card>
  );
}

function AddressField({ base, change, why }: { base: string; change: (value: string) => void; why: string }): JSX.Element {
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
          This page speaks to its own origin only. <a href="connect.html">connect.html</a> speaks to Workers elsewhere and keeps no authority of its own.
        </Note>
      )}
    </>
  );
}

/** Whether what is here stays, and how much it is. Pages without https have no such thing, whatever the types say. */
async function stateOfStorage(): Promise<StorageEstimate & { kept: boolean }> {
  const { storage } = navigator as { storage?: StorageManager };
  if (!storage) throw new Error("This window keeps nothing: an address without https is the usual reason.");
  return { kept: await storage.persisted(), ...(await storage.estimate()) };
}

function Storage(): JSX.Element {
  const [turn, setTurn] = useState(0);
  const state = useLoad(stateOfStorage, [turn]);
  const [refused, setRefused] = useState(false);
  const ask = async (): Promise<void> => {
    setRefused(!(await navigator.storage.persist()));
    setTurn(turn + 1);
  };
  return (
    <Card title="Storage">
      <Ready from={state}>
        {({ kept, usage = 0, quota = 0 }) => (
          <>
            <Facts
              rows={[
                [
                  "Kept by the browser",
                  kept ? (
                    <Badge tone="ok" mark="check">
                      Persistent
                    </Badge>
                  ) : (
                    <>
                      <Badge tone="warn" mark="warn">
                        May be cleared when space runs out
                      </Badge>{" "}
                      <Button tiny press={() => void ask()}>
                        Ask to keep it
                      </Button>
                    </>
                  ),
                ],
                ["Used", `${size(usage)} of about ${size(quota)}`],
                ["CA keys", "Encrypted at rest under a key that this browser does not give out"],
              ]}
            />
            {refused && <p class="pad small">The browser did not agree. It often does once the page is a bookmark or installed.</p>}
          </>
        )}
      </Ready>
      <div class="pad">
        <Note tone="warn" icon="lock">
          <b>There is no backup yet</b>
          <p class="small">This version cannot copy the authority out of this browser. Clearing the site’s data ends it.</p>
        </Note>
      </div>
    </Card>
  );
}
