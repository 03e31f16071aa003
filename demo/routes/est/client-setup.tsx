import type { JSX } from "preact";
import { useState } from "preact/hooks";
import type { OfEst } from "./calls.ts";
import { estPaths, estSnippets } from "./client-commands.ts";
import { Code } from "../../ui/code.tsx";
import { Choice, Text } from "../../ui/field.tsx";
import { Card, Empty } from "../../ui/page.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { place } from "../../lib/place.ts";
import { useStore } from "../../lib/store.ts";

/** The section with the EST paths and the setup instructions for clients. */
export function EstClients({ config, roles }: OfEst): JSX.Element {
  const where = useStore(place, (value) => value);
  const [chosen, choose] = useState("");
  const [name, setName] = useState("device.example.com");
  const [user, setUser] = useState("device");
  const paths = estPaths(config, where.mount, roles);
  const at = paths.find(({ path }) => path === chosen) ?? paths[0];
  if (!config.enabled || !at)
    return (
      <Card title="Set up a client">
        <Empty
          text={
            config.enabled
              ? "There are no EST paths yet. Set a policy for paths without a label, add a label, or create a role."
              : "EST is off. Choose login methods below, then turn it on above."
          }
        />
      </Card>
    );
  const base = where.kind === "browser" ? "https://ca.example.com" : new URL(where.base).origin;
  const setup = {
    base,
    at,
    name: name.trim() || "device.example.com",
    user: user.trim() || "device",
  };
  return (
    <Card title="Set up a client">
      <div class="pad stack close">
        <Choice
          label="Path"
          value={at.path}
          change={choose}
          options={paths.map(({ path, title }) => [path, title] as const)}
        />
        <Code text={`${base}${at.path}`} label="EST URL" wrap />
        <div class="pair">
          <Text label="Name for the certificate" value={name} change={setName} />
          <Text
            label="User name or role ID"
            value={user}
            change={setUser}
            hint="The password or secret ID is read from EST_PASSWORD."
          />
        </div>
      </div>
      <Tabs
        label="Client"
        panels={estSnippets.map(({ client, tested, text }) => [
          client,
          () => (
            <div class="pad stack close">
              {text(setup) === "" ? (
                <p>This client supports only paths under /.well-known/est: choose a label.</p>
              ) : (
                <>
                  <Code text={text(setup)} label={`Commands for ${client}`} wrap />
                  <p class="small muted">
                    {tested
                      ? "Tested with this client."
                      : "From the client’s documentation; not tested."}
                  </p>
                </>
              )}
            </div>
          ),
        ])}
      />
    </Card>
  );
}
