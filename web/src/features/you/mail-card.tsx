import { useMutation } from "@tanstack/react-query";
import { changeProfileMutation } from "@/api/@tanstack/react-query.gen";
import { usePlace, useReloadSession } from "@/lib/session";
import { Card } from "@/ui/card";
import { Checkbox } from "@/ui/checkbox";
import { toast } from "@/ui/toast";

/** The person's choice of mails. Saved at once, without a button. */
export function MailCard() {
  const { person } = usePlace();
  const reload = useReloadSession();
  const { mutate, isPending, variables } = useMutation({
    ...changeProfileMutation(),
    onSuccess: async (_, { body }) => {
      await reload();
      toast.success(body.alert_mails ? "You get alerts by mail" : "You get no alerts by mail");
    },
    onError: (error) => toast.error(error, "Nothing was changed"),
  });
  const wanted = isPending ? variables.body.alert_mails : person.alert_mails;
  return (
    <Card title="Mails">
      <Checkbox
        label="Send me alerts by mail"
        hint="When imports begin to fail, when many imports fail, and when a source goes silent. Company-Admins and buyers get these mails, if this service can send mail."
        checked={wanted ?? person.alert_mails}
        onCheckedChange={(checked) => mutate({ body: { alert_mails: checked } })}
      />
    </Card>
  );
}
