import { useState } from "react";
import { type Control, Controller, type FieldErrors, type UseFormRegister, useWatch } from "react-hook-form";
import * as z from "zod/mini";
import { useNow } from "@/lib/live";
import { atMostCharacters } from "@/messages/failure";
import { Field } from "@/ui/field";
import { Input } from "@/ui/input";
import { Select } from "@/ui/select";
import { Suggest, type Suggestion } from "@/ui/suggest";
import { Textarea } from "@/ui/textarea";
import { clockIn, currencies, isLocale, isTimeZone, locales, sample, timeZones } from "./options";
import { weekdayOptions, weekdays } from "./weekdays";

const lines = (most: number) =>
  z.string().check(z.trim(), z.maxLength(most, `Give ${atMostCharacters({ count: most }, "en")}.`));

export const schema = z.object({
  name: z
    .string()
    .check(
      z.trim(),
      z.minLength(1, "Give the workspace a name."),
      z.maxLength(200, "A name has at most 200 characters."),
    ),
  time_zone: z
    .string()
    .check(
      z.trim(),
      z.refine(isTimeZone, "There is no such time zone; zones look like Europe/Berlin or UTC."),
    ),
  base_currency: z
    .string()
    .check(z.trim(), z.toUpperCase(), z.regex(/^[A-Z]{3}$/, "A currency is three letters, such as EUR.")),
  locale: z
    .string()
    .check(
      z.trim(),
      z.regex(/^[a-z]{2,3}(-|$)/, "A locale is a language with or without a region, such as en or de-CH."),
      z.refine(isLocale, "A locale is a language with or without a region, such as en or de-CH."),
    ),
  week_start: z.enum(weekdays, "Choose the first day of the week."),
  // What orders to suppliers say of the workspace. Empty: nothing.
  address: lines(1000),
  delivery_address: lines(1000),
  order_contact: lines(200),
  order_email: z
    .string()
    .check(
      z.trim(),
      z.regex(/^([^\s@<>,;"]+@[^\s@<>,;"]+)?$/, "Give one mail address, such as buy@example.com."),
    ),
  vat_id: lines(50),
});

export type Settings = z.infer<typeof schema>;

interface WorkspaceFieldsProps {
  register: UseFormRegister<Settings>;
  control: Control<Settings>;
  errors: FieldErrors<Settings>;
}

export const settingNames: Record<keyof Settings, string> = {
  name: "Name",
  time_zone: "Time zone",
  base_currency: "Currency",
  locale: "Locale",
  week_start: "Week starts on",
  address: "Address",
  delivery_address: "Delivery address",
  order_contact: "Contact for suppliers",
  order_email: "Suppliers answer to",
  vat_id: "VAT ID",
};

/** A workspace says nothing of itself at first. */
export const noSender = { address: "", delivery_address: "", order_contact: "", order_email: "", vat_id: "" };

export function WorkspaceFields({ register, control, errors }: WorkspaceFieldsProps) {
  const [lists] = useState(() => ({ zones: timeZones(), currencies: currencies(), locales: locales() }));
  const now = new Date(useNow());
  const [zone, currency, locale] = useWatch({ control, name: ["time_zone", "base_currency", "locale"] });
  const clock = clockIn(zone, now);
  const shown = sample(locale, currency, now);
  const list = (name: keyof Settings, options: Suggestion[], empty: string) => (
    <Controller
      name={name}
      control={control}
      render={({ field: { onChange, ...field } }) => (
        <Suggest {...field} options={options} onValueChange={onChange} empty={empty} />
      )}
    />
  );
  return (
    <>
      <Field label="Name" error={errors.name?.message}>
        <Input {...register("name")} autoComplete="off" />
      </Field>
      <Field
        label="Time zone"
        hint={`Decides when a day begins.${clock ? ` Now ${clock} there.` : ""}`}
        error={errors.time_zone?.message}
      >
        {list("time_zone", lists.zones, "No time zone is called that.")}
      </Field>
      <Field label="Currency" hint="Totals are shown in it." error={errors.base_currency?.message}>
        {list("base_currency", lists.currencies, "Three letters, such as EUR.")}
      </Field>
      <Field
        label="Locale"
        hint={shown ? `Written as ${shown}` : "How numbers and dates are written."}
        error={errors.locale?.message}
      >
        {list("locale", lists.locales, "A language with or without a region, such as en or de-CH.")}
      </Field>
      <Field
        label="Week starts on"
        hint="Weekly figures are computed again when this changes."
        error={errors.week_start?.message}
      >
        <Controller
          name="week_start"
          control={control}
          render={({ field: { onChange, ...field } }) => (
            <Select {...field} options={weekdayOptions} onValueChange={onChange} />
          )}
        />
      </Field>
    </>
  );
}

/** What purchase orders say of the workspace. */
export function SenderFields({ register, errors }: Pick<WorkspaceFieldsProps, "register" | "errors">) {
  return (
    <fieldset className="flex flex-col gap-4 border-line border-t pt-4">
      <legend className="sr-only">On purchase orders</legend>
      <p className="text-muted">Stands on the orders that suppliers get. What is empty is left out.</p>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Address" optional error={errors.address?.message}>
          <Textarea {...register("address")} rows={4} />
        </Field>
        <Field label="Delivery address" optional error={errors.delivery_address?.message}>
          <Textarea {...register("delivery_address")} rows={4} />
        </Field>
        <Field label="Contact for suppliers" optional error={errors.order_contact?.message}>
          <Input {...register("order_contact")} placeholder="Grace Hopper, +44 151 496 0000" />
        </Field>
        <Field label="Suppliers answer to" optional error={errors.order_email?.message}>
          <Input {...register("order_email")} type="email" placeholder="buy@example.com" />
        </Field>
        <Field label="VAT ID" optional error={errors.vat_id?.message}>
          <Input {...register("vat_id")} />
        </Field>
      </div>
    </fieldset>
  );
}
