/** State of a person's page besides the rows: the person, agents, directories, conversations and the budget. */
import { Clock, Deferred, Effect } from "effect"
import { type Eventually, eventually } from "../../contract/Input.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import type { ConversationRow } from "./rows/conversationTable.ts"
import type { TurnProjection } from "./turnProjection.ts"
import type { WebAgent, WebBudget, WebChatOptions, WebDirectory, WebPerson } from "./WebChatOptions.ts"

export interface PageState {
  readonly json: (person: WebPerson) => Effect.Effect<string, StoreError>
  /** Reads the application's facts again. */
  readonly refresh: () => void
}

const freshMs = 10_000
/** The first look at installed CLIs takes a while. */
const patience = "15 seconds"

/** The application's answer, cached for a while; if it fails, the previous answer. */
const remembered = <A>(what: string, ask: () => Eventually<A>, first: A) => {
  let [known, until] = [first, 0]
  /** Simultaneous callers share the answer. */
  let asking: Deferred.Deferred<A> | undefined
  return {
    refresh: () => {
      until = 0
    },
    get: Effect.suspend(() => {
      if (asking !== undefined) return Deferred.await(asking)
      if (performance.now() < until) return Effect.succeed(known)
      until = performance.now() + freshMs
      const answer = Deferred.makeUnsafe<A>()
      asking = answer
      const facts = Effect.suspend(() => {
        asking = undefined
        return Deferred.succeed(answer, known)
      })
      return Effect.matchCauseEffect(Effect.timeout(eventually(ask), patience), {
        onFailure: () => Effect.as(Effect.logWarning(`the page does not know ${what}`), known),
        onSuccess: (value) =>
          Effect.sync(() => {
            known = value
            return value
          })
      }).pipe(Effect.ensuring(facts))
    })
  }
}

export interface StateOptions {
  readonly options: WebChatOptions
  readonly uploadBytes: number
  readonly list: (person: string) => Effect.Effect<ReadonlyArray<ConversationRow>, StoreError>
  readonly projection: Pick<TurnProjection, "served">
}

export const makeState = ({ options, uploadBytes, list, projection }: StateOptions): PageState => {
  const named = () => (projection.served()?.agents ?? []).map((id): WebAgent => ({ id, name: id }))
  const input = options.directories
  const agents = remembered<ReadonlyArray<WebAgent>>("its agents", options.agents ?? named, [])
  const directories = remembered<ReadonlyArray<WebDirectory>>(
    "its directories",
    typeof input === "function" ? input : () => input ?? projection.served()?.directories ?? [],
    []
  )
  const budget = remembered<WebBudget | undefined>("its budget", options.budget ?? (() => undefined), undefined)
  return {
    refresh: () => {
      for (const each of [agents, directories, budget]) each.refresh()
    },
    json: Effect.fnUntraced(function* (person) {
      const served = projection.served()
      const own = yield* budget.get
      // Members that are undefined are left out.
      return JSON.stringify({
        now: yield* Clock.currentTimeMillis,
        title: options.title ?? "Reins",
        person: { id: person.id, name: person.name ?? person.id },
        isServed: served !== undefined,
        agents: yield* agents.get,
        directories: yield* directories.get,
        conversations: yield* list(person.id),
        budget: own,
        limits: { text: 100_000, uploadBytes },
        defaults: { agent: served?.agent, directory: served?.directory }
      })
    })
  }
}
