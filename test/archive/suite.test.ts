import { archiveSuite } from "./suite.ts";

archiveSuite();
