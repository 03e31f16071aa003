/** The views of what stands beside the mount. */
export { Reference } from "./reference.tsx";
export { Settings } from "./settings.tsx";
export { SignIn } from "./signin.tsx";
export { Variables } from "./variables.tsx";
