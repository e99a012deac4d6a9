import { createContext } from "react";
import type { UnsavedWork } from "./unsaved";

/** The unsaved work of the dialog around; a page has none of its own. */
export const DialogWork = createContext<UnsavedWork | undefined>(undefined);
