import { createContext } from "react";
import type { UnsavedWork } from "./unsaved";

/** The unsaved work of the surrounding dialog; undefined on a page. */
export const DialogWork = createContext<UnsavedWork | undefined>(undefined);
