import type { Ports, VarsSettings } from "../../engine/ports.ts";

/** The settings of an authority; one without has the defaults. */
export const settingsOf = (ports: Ports): VarsSettings => ports.vars ?? {};
