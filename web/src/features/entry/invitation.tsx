import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { readInvitation } from "@/api/sdk.gen";
import { toApiError } from "@/lib/problem";
import { buttonClass } from "@/ui/button";
import { ErrorNote } from "@/ui/error-note";
import { SkeletonText } from "@/ui/skeleton";
import { AcceptForm } from "./accept-form";
import { DeadLink } from "./dead-link";
import { EntryCard } from "./entry-card";
import { useLinkToken } from "./link-token";

export function InvitationPage() {
  const token = useLinkToken();
  const { data, error, refetch } = useQuery({
    queryKey: ["invitation", token],
    // A POST, to keep the token out of addresses, but used as a query because it only reads.
    queryFn: async ({ signal }) =>
      (await readInvitation({ body: { token }, signal, throwOnError: true })).data,
    enabled: token !== "",
    // No refetch on focus: it would clear the form while the person is in another window.
    staleTime: Number.POSITIVE_INFINITY,
  });
  if (!token || (error && toApiError(error).code === "dead_link")) {
    return (
      <DeadLink missing={!token}>
        <p className="text-base text-muted">Ask the person who invited you for a new link.</p>
        <Link to="/sign-in" className={buttonClass("secondary")}>
          Go to sign in
        </Link>
      </DeadLink>
    );
  }
  if (data) return <AcceptForm key={token} token={token} invited={data} />;
  return (
    <EntryCard title="Your invitation">
      {error ? <ErrorNote error={error} retry={refetch} /> : <SkeletonText lines={5} />}
    </EntryCard>
  );
}
