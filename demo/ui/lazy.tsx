import type { ComponentType, JSX } from "preact";
import { Button } from "./button.tsx";
import { Failure, Head } from "./page.tsx";
import { lazyLoad } from "../lib/lazy-load.ts";
import { useLoad } from "../lib/use-load.ts";

/**
 * Returns a component whose code is loaded when it is first rendered. Use it for views and large
 * dialogs.
 */
export function lazy<P extends object = object>(
  load: () => Promise<ComponentType<P>>,
): ComponentType<P> {
  let loaded: ComponentType<P> | undefined;
  const importView = async (): Promise<ComponentType<P>> => {
    try {
      return (loaded ??= await load());
    } catch {
      // The browser's own error is about modules and does not help users.
      throw new Error("This part of the page could not be loaded.");
    }
  };
  lazyLoad(importView);
  return function Lazy(props: P): JSX.Element | null {
    // Render the view at the same position before and after loading, or it would be recreated and
    // lose the focus.
    const { value: View = loaded, error } = useLoad(importView, []);
    if (View) return <View {...props} />;
    return error ? <NotLoaded error={error} /> : <i class="loading" hidden />;
  };
}

// Some browsers cache a failed import until the page is closed, so only a reload can retry it.
const NotLoaded = ({ error }: { error: Error }): JSX.Element => (
  <>
    <Head title="This view could not be loaded" />
    <Failure error={error}>
      <Button tiny press={() => location.reload()}>
        Reload the page
      </Button>
    </Failure>
  </>
);
