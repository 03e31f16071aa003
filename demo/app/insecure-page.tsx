import type { JSX } from "preact";
import { Mark } from "../ui/icon.tsx";

/** The page shown instead of the console where the browser offers no cryptography. */
export function Insecure(): JSX.Element {
  const port = location.port || "80";
  return (
    <main id="main" class="hero alone">
      <Mark />
      <h1>This address is not secure</h1>
      <p>
        Over plain HTTP the browser gives this page no cryptography and a token would cross the
        network readable, so the console asks for none here: open it over https, or at a local
        address on the machine that serves it.
      </p>
      <p class="small muted">
        From elsewhere, SSH makes it local:{" "}
        <code class="break">{`ssh -L ${port}:127.0.0.1:${port} ${location.hostname}`}</code>, then{" "}
        <code class="break">{`http://127.0.0.1:${port}${location.pathname}`}</code>
      </p>
    </main>
  );
}
