import { Monitor, Moon, Sun } from "lucide-react";
import { useId } from "react";
import { setTheme, type ThemeChoice, useTheme } from "@/lib/theme";

const choices: [ThemeChoice, string, typeof Sun][] = [
  ["system", "System", Monitor],
  ["light", "Light", Sun],
  ["dark", "Dark", Moon],
];

export function ThemeSwitch() {
  const theme = useTheme();
  const name = useId();
  return (
    <fieldset className="inline-flex rounded-md border border-line bg-sunken p-0.5">
      <legend className="sr-only">Theme</legend>
      {choices.map(([value, label, Icon]) => (
        <label
          key={value}
          title={label}
          className="grid h-6 w-7 cursor-pointer place-items-center rounded-sm text-subtle outline-accent-ink hover:text-ink has-checked:bg-surface has-checked:text-ink has-checked:shadow-card has-focus-visible:outline-2 dark:has-checked:bg-hover pointer-coarse:h-8 pointer-coarse:w-10"
        >
          <input
            type="radio"
            name={name}
            value={value}
            checked={theme === value}
            onChange={() => setTheme(value)}
            className="sr-only"
          />
          <Icon className="size-3.5" aria-hidden />
          <span className="sr-only">{label}</span>
        </label>
      ))}
    </fieldset>
  );
}
