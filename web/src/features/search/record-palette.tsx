import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { type NavigateOptions, useNavigate } from "@tanstack/react-router";
import {
  Bookmark,
  ClipboardList,
  Package,
  ReceiptText,
  Table2,
  TriangleAlert,
  Truck,
  UserRound,
} from "lucide-react";
import { type ReactNode, useEffect, useState } from "react";
import { searchOptions } from "@/api/@tanstack/react-query.gen";
import type { Hit, Found as SearchResult } from "@/api/types.gen";
import { listLink } from "@/features/views/lists";
import { usePlace } from "@/lib/session";
import { CommandPalette, type CommandPaletteProps, type Found } from "@/ui/command-palette";

/** The palette of a workspace, which also finds records. */
export function RecordPalette(props: CommandPaletteProps) {
  return <CommandPalette {...props} useFound={useRecords} />;
}

/** How long after the last key a search begins. */
const pause = 120;
/** The longest text that the service accepts. */
const longest = 200;

function useRecords(query: string): Found {
  const { workspace } = usePlace();
  const go = useNavigate();
  const wanted = query.trim().slice(0, longest);
  const [asked, setAsked] = useState(wanted);
  useEffect(() => {
    const timer = setTimeout(() => setAsked(wanted), pause);
    return () => clearTimeout(timer);
  }, [wanted]);
  const { data, error, isFetching, isPlaceholderData, refetch } = useQuery({
    ...searchOptions({ path: { workspace: workspace.id }, query: { q: asked } }),
    enabled: asked !== "" && wanted !== "",
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
    retry: false,
  });
  const answer = { data, isOld: asked !== wanted || isFetching || isPlaceholderData };
  return {
    ...foundIn(wanted, answer, (hit) => void go(target(workspace.id, hit))),
    ...(wanted !== "" && error && { error, retry: () => void refetch() }),
  };
}

interface Answer {
  data: SearchResult | undefined;
  /** It is the answer to an earlier text, or may change. */
  isOld: boolean;
}

/** What the palette shows of an answer, in the service's order. Without a text there is nothing to find. */
export function foundIn(wanted: string, { data, isOld }: Answer, open: (hit: Hit) => void): Found {
  if (wanted === "") return { commands: [], loading: false, more: false };
  return {
    commands: (data?.items ?? []).map((hit) => ({
      id: `${hit.kind}-${hit.table}-${hit.id}`.replaceAll(/\s/g, "_"),
      label: hit.label,
      group: kinds[hit.kind].group,
      icon: kinds[hit.kind].icon,
      ...(hit.code && hit.code !== hit.label && { code: hit.code }),
      ...(hit.detail && { detail: hit.detail }),
      run: () => open(hit),
    })),
    loading: isOld,
    more: data?.more ?? false,
  };
}

const kinds: Record<Hit["kind"], { group: string; icon: ReactNode }> = {
  purchase_order: { group: "Purchase orders", icon: <ClipboardList aria-hidden /> },
  supplier: { group: "Suppliers", icon: <Truck aria-hidden /> },
  product: { group: "Products", icon: <Package aria-hidden /> },
  customer: { group: "Customers", icon: <UserRound aria-hidden /> },
  order: { group: "Orders", icon: <ReceiptText aria-hidden /> },
  failed_import: { group: "Failed imports", icon: <TriangleAlert aria-hidden /> },
  table: { group: "Tables", icon: <Table2 aria-hidden /> },
  view: { group: "Saved views", icon: <Bookmark aria-hidden /> },
};

type Place = Pick<Hit, "kind" | "id" | "table" | "list" | "search">;

/** The address that opens a hit. */
export function target(workspace: string, hit: Place): NavigateOptions {
  switch (hit.kind) {
    case "purchase_order":
      return { to: "/w/$workspace/purchase-orders/$order", params: { workspace, order: hit.id } };
    case "product":
      return { to: "/w/$workspace/products/$record", params: { workspace, record: hit.id } };
    case "supplier":
      return { to: "/w/$workspace/suppliers/$supplier", params: { workspace, supplier: hit.id } };
    case "customer":
      return { to: "/w/$workspace/customers/$customer", params: { workspace, customer: hit.id } };
    case "failed_import":
      return { to: "/w/$workspace/failures/rows", params: { workspace }, search: { open: hit.id } };
    case "table":
      return { to: "/w/$workspace/tables/$slug", params: { workspace, slug: hit.id } };
    case "view":
      if (hit.list) return listLink(workspace, hit.list, hit);
      return {
        to: "/w/$workspace/tables/$slug",
        params: { workspace, slug: hit.table },
        search: { view: hit.id },
      };
    default:
      return {
        to: "/w/$workspace/tables/$slug",
        params: { workspace, slug: hit.table },
        search: { record: hit.id },
      };
  }
}
