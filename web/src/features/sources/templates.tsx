import { useQuery } from "@tanstack/react-query";
import { Download } from "lucide-react";
import { listTemplatesOptions } from "@/api/@tanstack/react-query.gen";
import type { Source, Template } from "@/api/types.gen";
import { usePlace } from "@/lib/session";
import { buttonClass } from "@/ui/button";
import { Card } from "@/ui/card";
import { ErrorNote } from "@/ui/error-note";
import { SkeletonText } from "@/ui/skeleton";

const platforms: Record<Template["platform"], string> = { make: "Make", n8n: "n8n" };

/** Ready flows for automation platforms that send records to this table. */
export function Templates({ source }: { source: Source }) {
  const { workspace } = usePlace();
  const path = { workspace: workspace.id, slug: source.slug };
  const { data, error, refetch } = useQuery(listTemplatesOptions({ path }));
  if (error) return <ErrorNote error={error} retry={refetch} />;
  if (!data) return <SkeletonText lines={6} label="Loading the templates" />;
  return (
    <div className="grid items-start gap-4 lg:grid-cols-2">
      {data.items.map((template) => (
        <Card
          key={template.platform}
          title={template.title}
          description={template.about}
          actions={
            <a
              href={`/api/app/workspaces/${path.workspace}/sources/${path.slug}/templates/${template.platform}`}
              download={template.file_name}
              className={buttonClass("primary")}
            >
              <Download aria-hidden />
              Download for {platforms[template.platform]}
            </a>
          }
        >
          <ol className="flex list-decimal flex-col gap-1.5 pl-5 marker:text-subtle">
            {template.steps.map((step) => (
              <li key={step}>{step}</li>
            ))}
          </ol>
        </Card>
      ))}
    </div>
  );
}
