import type { Ports, VarsSettings } from "../ports.ts";

/** The settings of an authority; one without has the defaults. */
export const settingsOf = (ports: Ports): VarsSettings => ports.vars ?? {};
