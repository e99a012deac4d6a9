import { Link } from "@tanstack/react-router";
import type { ArticlePage } from "@/api/types.gen";
import { SupplierLink } from "@/features/subject/links";
import { Part } from "@/features/subject/part";
import { useLocale } from "@/lib/locale";
import { usePlace } from "@/lib/session";
import { daysOf } from "@/messages/articles";
import { Num } from "@/ui/num";
import { Table, Td, Th, Tr } from "@/ui/table";
import { leadSource } from "./words";

/** How the supplier delivered in the last year. */
export function Punctuality({ article }: { article: ArticlePage }) {
  const { locale } = useLocale();
  const { workspace } = usePlace();
  const { supplier, lead_time, punctuality } = article;
  return (
    <Part
      id="punctuality"
      title="Supplier's punctuality"
      description={
        supplier &&
        `Lines received in the last year. Lead time ${daysOf({ count: Math.ceil(lead_time.days) }, locale)}, ${leadSource(lead_time)}.`
      }
      of={{ data: article, error: null, refetch: () => {} }}
      flush
      actions={
        supplier && (
          <Link
            to="/w/$workspace/tables/$slug"
            params={{ workspace: workspace.id, slug: "purchase_order_lines" }}
            search={{ filters: { supplier_id: { eq: supplier.id }, status: { eq: "received" } } }}
            className="rounded-sm text-accent-ink hover:underline"
          >
            Lines
          </Link>
        )
      }
      empty={() =>
        supplier === undefined
          ? "It has no supplier."
          : punctuality.length === 0 && `${supplier.name} has delivered nothing in the last year.`
      }
    >
      {() => (
        <Table caption="Punctuality">
          <thead>
            <tr>
              <Th>Of</Th>
              <Th num>Lines</Th>
              <Th num>On time</Th>
              <Th num>Days late</Th>
              <Th num>Lead time</Th>
            </tr>
          </thead>
          <tbody>
            {punctuality.map((one) => (
              <Tr key={one.scope}>
                <Td>
                  {one.scope === "article" ? (
                    "This article"
                  ) : (
                    <SupplierLink id={supplier?.id} name={supplier?.name ?? ""} />
                  )}
                </Td>
                <Td num>
                  <Num value={one.lines} />
                </Td>
                <Td num>
                  {one.lines > 0 ? (
                    <Num value={one.on_time / one.lines} percent digits={0} />
                  ) : (
                    <Num value={undefined} />
                  )}
                </Td>
                <Td num>
                  {one.on_time < one.lines ? (
                    <Num value={one.days_late} digits={1} />
                  ) : (
                    <Num value={one.lines > 0 ? 0 : undefined} />
                  )}
                </Td>
                <Td num>
                  {one.leads > 0 ? (
                    daysOf({ count: Math.round(one.lead_days) }, locale)
                  ) : (
                    <Num value={undefined} />
                  )}
                </Td>
              </Tr>
            ))}
          </tbody>
        </Table>
      )}
    </Part>
  );
}
