import { Mail, Phone } from "lucide-react";
import { mailto, tel } from "@/lib/reach";

const link =
  "inline-flex min-h-6 items-center gap-1 rounded-sm text-accent-ink hover:underline max-md:min-h-11 [&_svg]:size-3.5 [&_svg]:shrink-0";

interface ContactProps {
  email: string | undefined;
  phone: string | undefined;
}

/** How to reach somebody: one press writes or calls. */
export function Contact({ email, phone }: ContactProps) {
  return (
    <>
      {email && (
        <a href={mailto(email)} className={link}>
          <Mail aria-hidden />
          <span className="min-w-0 break-all">{email}</span>
        </a>
      )}
      {phone && (
        <a href={tel(phone)} className={link}>
          <Phone aria-hidden />
          <span className="whitespace-nowrap">{phone}</span>
        </a>
      )}
    </>
  );
}
