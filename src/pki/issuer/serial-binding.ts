/** What the key of a mount's serial numbers is bound to. */
export const serialKeyBinding = (mount: string): string => `${mount}/serial`;
