import { render } from "preact";
import { App } from "./app.tsx";
import { Insecure, insecure } from "./insecure.tsx";
import { loadRest } from "./later.ts";

const root = document.getElementById("root");
if (root) {
  root.replaceChildren();
  render(insecure ? <Insecure /> : <App />, root);
  // After what is shown has come.
  const idle: (run: () => void) => void =
    "requestIdleCallback" in globalThis
      ? (run) => requestIdleCallback(run)
      : (run) => setTimeout(run, 1000);
  addEventListener("load", () => idle(() => void loadRest()), { once: true });
}
