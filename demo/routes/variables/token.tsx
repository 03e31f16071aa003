import type { JSX } from "preact";
import { useState } from "preact/hooks";
import { ApiError } from "../../api/transport.ts";
import { Button } from "../../ui/button.tsx";
import { Text } from "../../ui/field.tsx";
import { Card } from "../../ui/page.tsx";
import { setVarsToken } from "../../lib/place.ts";
import { wrongToken } from "../../lib/token-syntax.ts";

/** Reports whether an error means that the variables API requires a separate token. */
export const lacksToken = (error: Error | undefined): error is ApiError =>
  error instanceof ApiError && error.status === 401;

/**
 * The form for the token of the variables API. The token is never in a URL, and is stored in the
 * same way as the connection's token.
 */
export function TokenForm({ why }: { why: string }): JSX.Element {
  const [token, setToken] = useState("");
  const [wrong, setWrong] = useState("");
  const use = (event: Event): void => {
    event.preventDefault();
    setWrong(wrongToken(token));
    if (token.trim() !== "" && wrongToken(token) === "") setVarsToken(token.trim());
  };
  return (
    <Card title="Token for the variables API">
      <form class="pad stack" onSubmit={use} noValidate>
        <div class="stack close">
          <p>{why}</p>
          <p class="small muted">
            Workspaces and their variables are separate from the certificates: the token that you
            signed in with is not accepted here. Ask an administrator of the variables API for a
            token. On a new server, the first one is in the file <code>vars-token</code> in the
            server’s data directory.
          </p>
        </div>
        <Text
          label="Token"
          type="password"
          complete="current-password"
          value={token}
          change={setToken}
          error={wrong}
          hint="Kept in memory until you leave the page or, if you chose to stay signed in, until you close the tab."
        />
        <div class="actions">
          <Button kind="primary" submit>
            Use this token
          </Button>
        </div>
      </form>
    </Card>
  );
}
