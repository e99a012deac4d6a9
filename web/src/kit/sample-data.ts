import type { Bucket } from "@/lib/sparkline";
import type { Status } from "@/ui/badge";

// Fixed numbers, not random ones: two runs of the screenshots must be comparable.
function wave(seed: number, scale: number, failEvery: number): Bucket[] {
  return Array.from({ length: 24 }, (_, hour) => {
    const day = Math.max(0, Math.sin(((hour - 5) / 24) * Math.PI * 2 - 0.6) + 0.55);
    const ripple = ((hour * 7 + seed * 13) % 11) / 11;
    const good = Math.round(scale * (day * 0.8 + ripple * 0.35));
    return {
      good,
      failed: failEvery && (hour + seed) % failEvery === 0 ? Math.max(1, Math.round(good * 0.06)) : 0,
    };
  });
}

export interface Source {
  table: string;
  endpoint: string;
  status: Status;
  rows: number;
  keys: number;
  failures: number;
  pending: number;
  /** Minutes since the last record. */
  last: number;
  buckets: Bucket[];
}

export const sources: Source[] = [
  {
    table: "Orders",
    endpoint: "/api/v1/in/orders",
    status: "healthy",
    rows: 182_406,
    keys: 2,
    failures: 0,
    pending: 0,
    last: 0.3,
    buckets: wave(1, 420, 0),
  },
  {
    table: "Articles",
    endpoint: "/api/v1/in/articles",
    status: "failing",
    rows: 1_214,
    keys: 1,
    failures: 37,
    pending: 4,
    last: 12,
    buckets: wave(4, 60, 5),
  },
  {
    table: "Stock levels",
    endpoint: "/api/v1/in/stock_levels",
    status: "healthy",
    rows: 1_198,
    keys: 1,
    failures: 2,
    pending: 0,
    last: 3,
    buckets: wave(2, 180, 17),
  },
  {
    table: "Suppliers",
    endpoint: "/api/v1/in/suppliers",
    status: "waiting",
    rows: 0,
    keys: 0,
    failures: 0,
    pending: 0,
    last: -1,
    buckets: wave(0, 0, 0),
  },
];

export interface Order {
  number: string;
  supplier: string;
  status: Status;
  lines: number;
  total: string;
  currency: string;
  /** Days until arrival; negative is late. */
  due: number;
}

export const orders: Order[] = [
  {
    number: "PO-2231",
    supplier: "Nordwind Textil GmbH",
    status: "overdue",
    lines: 14,
    total: "18240.50",
    currency: "EUR",
    due: -3,
  },
  {
    number: "PO-2236",
    supplier: "Atelier Brume",
    status: "partial",
    lines: 6,
    total: "4310.00",
    currency: "EUR",
    due: 1,
  },
  {
    number: "PO-2240",
    supplier: "Hai Phong Garments",
    status: "approved",
    lines: 41,
    total: "62908.75",
    currency: "USD",
    due: 26,
  },
  {
    number: "PO-2241",
    supplier: "Porto Calçado Lda",
    status: "submitted",
    lines: 9,
    total: "7755.20",
    currency: "EUR",
    due: 12,
  },
  {
    number: "PO-2244",
    supplier: "Nordwind Textil GmbH",
    status: "draft",
    lines: 22,
    total: "11002.00",
    currency: "EUR",
    due: 34,
  },
  {
    number: "PO-2228",
    supplier: "Linea Vetro",
    status: "received",
    lines: 3,
    total: "980.40",
    currency: "EUR",
    due: -9,
  },
];

export function minutesAgo(minutes: number): Date {
  return new Date(Date.now() - minutes * 60_000);
}

export const codes = [
  {
    label: "curl",
    code: `curl https://shop.example/api/v1/in/orders \\\n  -H "Authorization: Bearer $QUAYSIDE_KEY" \\\n  -H "Content-Type: application/json" \\\n  -d '{"order_no":"1001","sku":"TEE-BLK-M","qty":2,"ordered_at":"2026-11-14T09:30:00Z"}'`,
  },
  {
    label: "Python",
    code: `import os, requests\n\nrequests.post(\n    "https://shop.example/api/v1/in/orders",\n    headers={"Authorization": f"Bearer {os.environ['QUAYSIDE_KEY']}"},\n    json={"order_no": "1001", "sku": "TEE-BLK-M", "qty": 2},\n).raise_for_status()`,
  },
  {
    label: "Node",
    code: `await fetch("https://shop.example/api/v1/in/orders", {\n  method: "POST",\n  headers: { Authorization: \`Bearer \${process.env.QUAYSIDE_KEY}\` },\n  body: JSON.stringify({ order_no: "1001", sku: "TEE-BLK-M", qty: 2 }),\n});`,
  },
  { label: "CLI", code: "quayside push orders.csv --table orders" },
];
