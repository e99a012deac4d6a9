import { Mail, Phone } from "lucide-react";

const link = "inline-flex items-center gap-1 rounded-sm text-accent-ink hover:underline [&_svg]:size-3.5";

interface ContactProps {
  email: string | undefined;
  phone: string | undefined;
}

/** How to reach somebody: one press writes or calls. */
export function Contact({ email, phone }: ContactProps) {
  return (
    <>
      {email && (
        <a href={`mailto:${email}`} className={link}>
          <Mail aria-hidden />
          <span className="min-w-0 break-all">{email}</span>
        </a>
      )}
      {phone && (
        <a href={`tel:${phone}`} className={link}>
          <Phone aria-hidden />
          {phone}
        </a>
      )}
    </>
  );
}
