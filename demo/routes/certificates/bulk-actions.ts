export { csvOf } from "./csv.ts";
export { RenewChosen } from "./renew-selected.tsx";
export { RevokeChosen } from "./revoke-selected.tsx";
