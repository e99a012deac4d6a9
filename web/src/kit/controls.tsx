import { zodResolver } from "@hookform/resolvers/zod";
import { Ellipsis, Plus, RotateCcw, Search, Trash2 } from "lucide-react";
import { Controller, useForm } from "react-hook-form";
import * as z from "zod/mini";
import { Button } from "@/ui/button";
import { Card } from "@/ui/card";
import { Checkbox } from "@/ui/checkbox";
import { Field } from "@/ui/field";
import { IconButton } from "@/ui/icon-button";
import { Input } from "@/ui/input";
import { Keys } from "@/ui/keys";
import { Select } from "@/ui/select";
import { Textarea } from "@/ui/textarea";
import { ThemeSwitch } from "@/ui/theme-switch";
import { toast } from "@/ui/toast";
import { Row, Section } from "./section";

const scopes = [
  { value: "ingest", label: "Ingest", hint: "May send records, reads nothing" },
  { value: "read", label: "Read", hint: "May read every table" },
  { value: "admin", label: "Admin", hint: "May do everything, also manage keys", disabled: true },
] as const;

const keyForm = z.object({
  label: z.string().check(z.minLength(1, "Give the key a label, so that you recognise it later.")),
  scope: z.enum(["ingest", "read", "admin"]),
  note: z.string().check(z.maxLength(200)),
  expires: z.boolean(),
});

type KeyForm = z.infer<typeof keyForm>;

function Form() {
  const { register, control, handleSubmit, formState } = useForm<KeyForm>({
    resolver: zodResolver(keyForm),
    defaultValues: { label: "", scope: "ingest", note: "", expires: true },
  });
  return (
    <form
      noValidate
      className="flex flex-col gap-4"
      onSubmit={handleSubmit(async (values) => {
        await new Promise((done) => setTimeout(done, 400));
        toast.success(`Key “${values.label}” created`);
      })}
    >
      <Field
        label="Label"
        hint="Where the key is used, for example “Shopify production”."
        error={formState.errors.label?.message}
      >
        <Input {...register("label")} autoComplete="off" />
      </Field>
      <Field label="Scope">
        <Controller
          name="scope"
          control={control}
          render={({ field }) => (
            <Select
              options={scopes}
              value={field.value}
              onValueChange={field.onChange}
              onBlur={field.onBlur}
              name={field.name}
              ref={field.ref}
            />
          )}
        />
      </Field>
      <Field label="Note" optional error={formState.errors.note?.message}>
        <Textarea {...register("note")} rows={3} />
      </Field>
      <Controller
        name="expires"
        control={control}
        render={({ field }) => (
          <Checkbox
            label="Expires after 90 days"
            hint="You get an email two weeks before."
            checked={field.value}
            onCheckedChange={field.onChange}
            ref={field.ref}
          />
        )}
      />
      <div className="flex gap-2">
        <Button type="submit" variant="primary" loading={formState.isSubmitting}>
          Generate key
        </Button>
        <Button>Cancel</Button>
      </div>
    </form>
  );
}

export function Controls() {
  return (
    <>
      <Section id="buttons" title="Buttons">
        <Row label="Variants">
          <Button variant="primary" icon={<Plus aria-hidden />}>
            New order
          </Button>
          <Button>Secondary</Button>
          <Button variant="ghost">Ghost</Button>
          <Button variant="danger" icon={<Trash2 aria-hidden />}>
            Revoke
          </Button>
        </Row>
        <Row label="Small">
          <Button size="sm" variant="primary">
            Approve
          </Button>
          <Button size="sm" icon={<RotateCcw aria-hidden />}>
            Retry
          </Button>
          <Button size="sm" variant="ghost">
            Dismiss
          </Button>
        </Row>
        <Row label="Loading, disabled">
          <Button variant="primary" loading>
            Saving
          </Button>
          <Button loading>Retrying</Button>
          <Button variant="primary" disabled>
            Approve
          </Button>
          <Button disabled>Secondary</Button>
        </Row>
        <Row label="Icon, theme, keys">
          <IconButton label="Add" icon={<Plus />} variant="secondary" />
          <IconButton label="More" icon={<Ellipsis />} />
          <IconButton label="Delete" icon={<Trash2 />} size="sm" />
          <ThemeSwitch />
          <Keys keys="mod+k" />
          <Keys keys="g o" />
        </Row>
      </Section>
      <Section id="forms" title="Forms">
        <div className="grid items-start gap-4 lg:grid-cols-2">
          <Card title="Create a key" description="react-hook-form and zod; submit it empty.">
            <Form />
          </Card>
          <Card title="States">
            <div className="flex flex-col gap-4">
              <Input
                aria-label="Search"
                placeholder="Search orders"
                lead={<Search />}
                trail={<Keys keys="/" />}
              />
              <Field label="Quantity" error="Must be a whole number of at least 1, not “two”.">
                <Input defaultValue="two" />
              </Field>
              <Field label="Endpoint" hint="Set by the table; cannot be changed." disabled>
                <Input defaultValue="/api/v1/in/orders" mono />
              </Field>
              <Field label="Supplier" error="Choose a supplier.">
                <Select options={scopes} placeholder="Choose a supplier" />
              </Field>
              <div className="flex flex-col gap-2.5">
                <Checkbox label="Unchecked" />
                <Checkbox label="Checked" defaultChecked />
                <Checkbox label="Some of 40 rows" indeterminate />
                <Checkbox label="Disabled" disabled defaultChecked />
              </div>
            </div>
          </Card>
        </div>
      </Section>
    </>
  );
}
