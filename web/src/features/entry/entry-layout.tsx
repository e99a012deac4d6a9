import { Outlet } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { Brand } from "@/ui/brand";
import { ThemeSwitch } from "@/ui/theme-switch";

/** The frame of pages for people who have not signed in: the brand and one card. */
export function EntryLayout() {
  return (
    <EntryFrame>
      <Outlet />
    </EntryFrame>
  );
}

export function EntryFrame({ children }: { children: ReactNode }) {
  return (
    // Not centred vertically: the card would move when a message makes it taller.
    <div className="mx-auto flex min-h-dvh w-full max-w-100 flex-col gap-5 px-4 pt-[max(2rem,12vh)] pb-6">
      <header className="px-1">
        <Brand />
      </header>
      <main id="main" tabIndex={-1} className="flex-1 outline-none">
        {children}
      </main>
      <footer className="flex justify-center pt-4">
        <ThemeSwitch />
      </footer>
    </div>
  );
}
