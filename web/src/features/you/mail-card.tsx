import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { changeProfileMutation } from "@/api/@tanstack/react-query.gen";
import { usePlace, useReloadSession } from "@/lib/session";
import { Card } from "@/ui/card";
import { Checkbox } from "@/ui/checkbox";
import { toast } from "@/ui/toast";

type Mail = "approval_mails" | "mention_mails" | "sent_back_mails" | "alert_mails";

const mails: { mail: Mail; label: string; hint: string }[] = [
  {
    mail: "approval_mails",
    label: "What waits for my approval",
    hint: "Orders that you may approve.",
  },
  { mail: "mention_mails", label: "Mentions", hint: "What somebody says to you in the log of an order." },
  {
    mail: "sent_back_mails",
    label: "What was sent back to me",
    hint: "Orders that you made or submitted.",
  },
  {
    mail: "alert_mails",
    label: "Alerts",
    hint: "When imports begin to fail, when many imports fail, and when a source goes silent. Only Company-Admins and buyers get these.",
  },
];

/** The person's choice of mails. Saved at once, without a button. */
export function MailCard() {
  const { person } = usePlace();
  const reload = useReloadSession();
  // What the person has chosen is shown at once; the mutation tells that it runs a moment later.
  const [chosen, setChosen] = useState<Partial<Record<Mail, boolean>>>({});
  const { mutate } = useMutation({
    ...changeProfileMutation(),
    onSuccess: async () => {
      await reload();
      toast.success("Your choice of mails is saved");
    },
    onError: (error) => toast.error(error, "Nothing was changed"),
    onSettled: (_data, _error, { body }) => setChosen((latest) => (latest === body ? {} : latest)),
  });
  const choose = (choice: Partial<Record<Mail, boolean>>) => {
    setChosen(choice);
    mutate({ body: choice });
  };
  return (
    <Card
      title="Mails"
      description="What this service mails you, if it can send mail. You get nothing about what you have seen in the app before."
    >
      <div className="flex flex-col gap-3">
        {mails.map(({ mail, label, hint }) => (
          <Checkbox
            key={mail}
            label={label}
            hint={hint}
            checked={chosen[mail] ?? person[mail]}
            onCheckedChange={(checked) => choose({ [mail]: checked })}
          />
        ))}
      </div>
    </Card>
  );
}
