import { archiveSuite } from "../archive/suite.ts";

archiveSuite();
