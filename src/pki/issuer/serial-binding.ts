/** Returns the binding of the sealed key for a mount's serial numbers. */
export const serialKeyBinding = (mount: string): string => `${mount}/serial`;
