import type { ComponentType, JSX } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Failure } from "./parts/page.tsx";

/** A view whose code is loaded when it is first shown. */
export function lazy(load: () => Promise<ComponentType>): ComponentType {
  let loaded: ComponentType | undefined;
  return function Lazy(): JSX.Element | null {
    const [state, set] = useState<{ view?: ComponentType; error?: Error }>(loaded ? { view: loaded } : {});
    useEffect(() => {
      if (loaded) return;
      load().then(
        (view) => {
          loaded = view;
          set({ view });
        },
        (error: unknown) => set({ error: error instanceof Error ? error : new Error(String(error)) }),
      );
    }, []);
    if (state.error) return <Failure error={state.error} />;
    return state.view ? <state.view /> : null;
  };
}
