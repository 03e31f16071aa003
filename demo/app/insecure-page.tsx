import type { JSX } from "preact";
import { Mark } from "../ui/icon.tsx";

/** The page that replaces the console if the browser does not provide WebCrypto. */
export function Insecure(): JSX.Element {
  const port = location.port || "80";
  return (
    <main id="main" class="hero alone">
      <Mark />
      <h1>This connection is not secure</h1>
      <p>
        Over plain HTTP, browsers disable cryptography and tokens would be sent unencrypted. Open
        the console over https, or at a local address on the machine that serves it.
      </p>
      <p class="small muted">
        From another machine, forward the port with SSH:{" "}
        <code class="break">{`ssh -L ${port}:127.0.0.1:${port} ${location.hostname}`}</code>, then{" "}
        <code class="break">{`http://127.0.0.1:${port}${location.pathname}`}</code>
      </p>
    </main>
  );
}
