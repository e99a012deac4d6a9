import { useQuery } from "@tanstack/react-query";
import { type KeyboardEvent, useId, useLayoutEffect, useRef, useState } from "react";
import { addOrderEntry } from "@/api/sdk.gen";
import { membersQuery } from "@/features/members/queries";
import { cx } from "@/lib/cx";
import { useEdit } from "@/lib/edit";
import { usePlace } from "@/lib/session";
import { Button } from "@/ui/button";
import { Keys } from "@/ui/keys";
import { Textarea } from "@/ui/textarea";
import { UnsavedNote } from "@/ui/unsaved-note";
import { mentionsIn, type Named, suggestMembers } from "./mentions";
import { Refusal } from "./parts";
import { useReloadPurchasing } from "./queries";

/** Writes a comment on an order. "@" suggests members; the arrow keys and Enter choose one. */
export function CommentField({ order }: { order: string }) {
  const { company, workspace } = usePlace();
  const reload = useReloadPurchasing();
  const members = useQuery(membersQuery(company.id)).data?.items ?? [];
  const { session, draft, failure, saving, restored } = useEdit<{ text: string }, null>(
    `order/${order}/comment`,
    {
      seen: null,
      toDraft: () => ({ text: "" }),
      save: async ({ text }) => {
        const body = { kind: "comment" as const, text, mentions: mentionsIn(text, members) };
        await addOrderEntry({ path: { workspace: workspace.id, order }, body, throwOnError: true });
        await reload();
        return null;
      },
    },
  );
  const send = () => {
    if (session.state.draft.text.trim()) void session.save();
  };
  return (
    <form
      className="flex flex-col gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <Writing text={draft.text} onText={(text) => session.type({ text })} members={members} send={send} />
      {restored && <UnsavedNote onDiscard={() => session.discard()} />}
      {failure && <Refusal error={failure} />}
      <div className="flex items-center justify-end gap-3">
        <span className="hidden items-center gap-1 text-subtle text-xs pointer-fine:flex">
          <Keys keys="mod+Enter" /> sends, @ mentions
        </span>
        <Button type="submit" loading={saving} disabled={!draft.text.trim()} className="max-md:h-11">
          Comment
        </Button>
      </div>
    </form>
  );
}

interface WritingProps {
  text: string;
  onText: (text: string) => void;
  members: readonly Named[];
  send: () => void;
}

function Writing({ text, onText, members, send }: WritingProps) {
  const area = useRef<HTMLTextAreaElement>(null);
  const list = useId();
  const [caret, setCaret] = useState<number>();
  const [marked, setMarked] = useState(0);
  const goTo = useRef<number>(undefined);
  const { from, found } = caret === undefined ? { from: 0, found: [] } : suggestMembers(text, caret, members);
  useLayoutEffect(() => {
    if (goTo.current === undefined) return;
    area.current?.setSelectionRange(goTo.current, goTo.current);
    goTo.current = undefined;
  });

  function choose({ name }: Named) {
    const after = `${text.slice(0, from)}@${name} `;
    goTo.current = after.length;
    onText(after + text.slice(caret));
    setCaret(undefined);
    area.current?.focus();
  }
  function onKeyDown(event: KeyboardEvent) {
    if (event.nativeEvent.isComposing) return;
    const one = found[marked];
    if (event.key === "Enter" && (event.metaKey || event.ctrlKey)) send();
    else if (!one) return;
    else if (event.key === "ArrowDown") setMarked((marked + 1) % found.length);
    else if (event.key === "ArrowUp") setMarked((marked + found.length - 1) % found.length);
    else if (event.key === "Enter" || event.key === "Tab") choose(one);
    else if (event.key === "Escape") setCaret(undefined);
    else return;
    event.preventDefault();
    event.stopPropagation();
  }

  return (
    <div>
      <Textarea
        ref={area}
        aria-label="Comment on the order"
        aria-autocomplete="list"
        aria-controls={found.length > 0 ? list : undefined}
        aria-activedescendant={found[marked] && `${list}-${marked}`}
        placeholder="Write a comment"
        rows={2}
        maxLength={2000}
        value={text}
        onKeyDown={onKeyDown}
        onBlur={() => setCaret(undefined)}
        onChange={(event) => {
          onText(event.currentTarget.value);
          setCaret(event.currentTarget.selectionStart);
          setMarked(0);
        }}
      />
      {found.length > 0 && (
        <div
          id={list}
          role="listbox"
          aria-label="Members"
          tabIndex={-1}
          className="mt-1 rounded-md border border-line bg-raised p-1 shadow-pop"
        >
          {found.map((member, index) => (
            // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are handled by the text area, which keeps the focus
            <div
              key={member.id}
              id={`${list}-${index}`}
              role="option"
              tabIndex={-1}
              aria-selected={index === marked}
              className={cx(
                "cursor-default rounded-md px-2 py-1.5 pointer-coarse:py-2.5",
                index === marked && "bg-hover",
              )}
              onPointerDown={(event) => event.preventDefault()}
              onClick={() => choose(member)}
            >
              {member.name}
            </div>
          ))}
        </div>
      )}
    </div>
  );
}
