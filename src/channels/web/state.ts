/** State of a person's page besides the rows: the person, agents, directories, conversations and the budget. */
import { Clock, Context, Deferred, Effect, Layer } from "effect"
import { type Eventually, eventually } from "../../contract/Input.ts"
import type { StoreError } from "../../contract/StoreError.ts"
import { untraced } from "../../contract/untraced.ts"
import { Page } from "./page.ts"
import { Routing } from "./routing.ts"
import { TurnProjection } from "./turnProjection.ts"
import type { WebAgent, WebBudget, WebDirectory, WebPerson } from "./WebChatOptions.ts"

export class PageState extends Context.Service<
  PageState,
  { readonly json: (person: WebPerson) => Effect.Effect<string, StoreError> }
>()("reins/web/PageState") {
  static readonly layer = Layer.effect(
    PageState,
    Effect.suspend(() => makeState)
  )
}

const freshMs = 10_000
/** The first look at installed CLIs takes a while. */
const patience = "15 seconds"

/** The application's answer, cached for a while within one revision; if it fails, the previous answer. */
const remembered = <A>(revision: () => number, what: string, ask: () => Eventually<A>, first: A) => {
  let [known, until, of] = [first, 0, 0]
  /** Simultaneous callers share the answer. */
  let asking: Deferred.Deferred<A> | undefined
  return Effect.suspend(() => {
    if (asking !== undefined) return Deferred.await(asking)
    if (performance.now() < until && of === revision()) return Effect.succeed(known)
    until = performance.now() + freshMs
    of = revision()
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

const makeState = Effect.gen(function* () {
  const { options, uploadBytes } = yield* Page
  const { list } = yield* Routing
  const { served: servedNow, revision } = yield* TurnProjection
  const named = () => (servedNow()?.agents ?? []).map((id): WebAgent => ({ id, name: id }))
  const input = options.directories
  const agents = remembered<ReadonlyArray<WebAgent>>(revision, "its agents", options.agents ?? named, [])
  const directories = remembered<ReadonlyArray<WebDirectory>>(
    revision,
    "its directories",
    typeof input === "function" ? input : () => input ?? servedNow()?.directories ?? [],
    []
  )
  const budget = remembered<WebBudget | undefined>(
    revision,
    "its budget",
    options.budget ?? (() => undefined),
    undefined
  )
  return PageState.of({
    json: Effect.fn(...untraced("State.json"))(function* (person) {
      const served = servedNow()
      const own = yield* budget
      // Members that are undefined are left out.
      return JSON.stringify({
        now: yield* Clock.currentTimeMillis,
        title: options.title ?? "Reins",
        person: { id: person.id, name: person.name ?? person.id },
        isServed: served !== undefined,
        agents: yield* agents,
        directories: yield* directories,
        conversations: yield* list(person.id),
        budget: own,
        limits: { text: 100_000, uploadBytes },
        defaults: { agent: served?.agent, directory: served?.directory }
      })
    })
  })
})
