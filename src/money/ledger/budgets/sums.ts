/**
 * The sums of `budget_windows`, kept right by every process that writes entries, whichever budgets it knows itself: an entry
 * is added to all windows that it matches, and what a run had reserved is taken out. Parts of the transaction of entries.
 */
import { Effect } from "effect"
import type { OpenStore } from "../../../conversations/store/OpenStore.ts"
import type { Entry } from "../rows.ts"
import { subjectOf } from "./windows.ts"

/** `,api,` in the list of a window; a window without a list counts all. */
const listed = (billing: Entry["billing"]) => `%,${billing},%`

export const addToWindows = ({ sql }: OpenStore, entry: Entry) => {
  const tokens = (entry.input ?? 0) + (entry.output ?? 0) + (entry.cacheRead ?? 0) + (entry.cacheWrite ?? 0)
  const [run, session, project, user] = (["run", "session", "project", "user"] as const).map(
    (per) => subjectOf({ per }, entry) ?? null
  )
  return sql`update budget_windows set spent = spent + case unit
      when 'tokens' then ${tokens}
      when 'turns' then ${entry.turns ?? 0}
      else case when counts_assumed = 1 then ${entry.micros ?? entry.assumed ?? 0} else ${entry.micros ?? 0} end
    end
    where starts <= ${entry.at} and (ends is null or ends > ${entry.at})
      and (billing is null or billing like ${listed(entry.billing)})
      and (per = 'all'
        or (per = 'run' and subject = ${run})
        or (per = 'session' and subject = ${session})
        or (per = 'project' and subject = ${project})
        or (per = 'user' and subject = ${user}))`
}

/** Frees the reservations of a run or turn. */
export const closeReservations = ({ sql }: OpenStore, id: string) =>
  Effect.gen(function* () {
    yield* sql`update budget_windows set reserved = reserved - (
        select coalesce(sum(amount), 0) from reservations r where r.window_key = budget_windows.window_key and r.id = ${id})
      where window_key in (select window_key from reservations where id = ${id})`
    yield* sql`delete from reservations where id = ${id}`
  })
