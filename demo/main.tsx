import { render } from "preact";
import { App } from "./app.tsx";
import { loadRest } from "./lazy.tsx";

const root = document.getElementById("root");
if (root) {
  root.replaceChildren();
  render(<App />, root);
  // After what is shown has come.
  const idle: (run: () => void) => void = "requestIdleCallback" in globalThis ? (run) => requestIdleCallback(run) : (run) => setTimeout(run, 1000);
  addEventListener("load", () => idle(() => void loadRest()), { once: true });
}
