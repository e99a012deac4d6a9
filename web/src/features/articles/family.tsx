import { Link } from "@tanstack/react-router";
import { Part } from "@/features/subject/part";
import { usePlace } from "@/lib/session";
import { Num } from "@/ui/num";
import { Table, Td, Th, Tr } from "@/ui/table";
import { useFamily } from "./queries";

const link = "rounded-sm text-accent-ink hover:underline";

/** The articles of the same family that sell most. */
export function Family({ record, family }: { record: string; family: string }) {
  const { workspace } = usePlace();
  const list = useFamily(family);
  return (
    <Part
      title="Family"
      description={family && `What sold most of ${family} in the last 12 weeks.`}
      of={family ? list : { data: { items: [], links: {} }, error: null, refetch: () => {} }}
      flush
      actions={
        family && (
          <Link
            to="/w/$workspace/tables/$slug"
            params={{ workspace: workspace.id, slug: "product_demand" }}
            search={{ filters: { family: { eq: family } } }}
            className={link}
          >
            All of the family
          </Link>
        )
      }
      empty={({ items }) =>
        items.length === 0 && (family ? "Its demand was not computed yet." : "It belongs to no family.")
      }
    >
      {({ items }) => (
        <Table caption={`Articles of the family ${family}`}>
          <thead>
            <tr>
              <Th>Article</Th>
              <Th num>12 weeks</Th>
              <Th num>A day</Th>
              <Th num className="max-sm:hidden">
                Trend
              </Th>
            </tr>
          </thead>
          <tbody>
            {items.map(({ id, values }) => (
              <Tr key={id} selected={values.product_id === record}>
                <Td>
                  {values.product_id === record ? (
                    <span className="font-medium">{String(values.name)}</span>
                  ) : (
                    <Link
                      to="/w/$workspace/products/$record"
                      params={{ workspace: workspace.id, record: String(values.product_id) }}
                      className={link}
                    >
                      {String(values.name)}
                    </Link>
                  )}
                </Td>
                <Td num>
                  <Num value={text(values.units_84)} />
                </Td>
                <Td num>
                  <Num value={Number(values.demand_per_day)} digits={1} />
                </Td>
                <Td num className="max-sm:hidden">
                  {values.trend_pct == null ? (
                    <Num value={undefined} />
                  ) : (
                    <Num value={Number(values.trend_pct) / 100} percent digits={0} />
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

const text = (value: unknown) => (value == null ? undefined : String(value));
