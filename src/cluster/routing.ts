/** Messages to homes, by the engine, which keeps a message until it was taken. */
import { Effect, Result } from "effect"
import { InvalidParams, StoreUnavailable } from "../contract/AgentError.ts"
import type { PermissionMode } from "../contract/AgentExecuteParams.ts"
import { plainJson } from "../contract/eventJson.ts"
import type { Decider, PlanAnswer } from "../contract/Rule.ts"
import type { Answers } from "../contract/SessionEvent.ts"
import { Conversation, entityId } from "./conversationEntity.ts"
import type { Home } from "./homes.ts"

export interface Place {
  readonly home: Home
  readonly cli: string
  /** The text of its key; the id of a turn without one. */
  readonly conversation: string
}

type RoutingError = InvalidParams | StoreUnavailable

export interface Routing {
  readonly wake: (place: Place, turnId: string, attempt: number) => Effect.Effect<void>
  readonly send: (place: Place, text: string) => Effect.Effect<boolean, RoutingError>
  readonly decide: (place: Place, requestId: string, answer: PlanAnswer) => Effect.Effect<boolean, RoutingError>
  readonly answer: (
    place: Place,
    requestId: string,
    answers: Answers | undefined,
    decider: Decider | undefined
  ) => Effect.Effect<boolean, RoutingError>
  readonly interrupt: (place: Place, turnId: string) => Effect.Effect<boolean, RoutingError>
  readonly change: (
    place: Place,
    change: { readonly model?: string; readonly permissionMode?: PermissionMode }
  ) => Effect.Effect<boolean, RoutingError>
  readonly close: (place: Place) => Effect.Effect<void>
}

/** For an answer of a home. */
const patience = "30 seconds"
const unreached = (problem: string) => new StoreUnavailable({ problem: `the home of the conversation ${problem}` })

const ask = <A>(
  option: string,
  request: Effect.Effect<A, { readonly _tag: string; readonly message: string }>
): Effect.Effect<A, RoutingError> =>
  request.pipe(
    Effect.mapError(({ _tag, message }) =>
      _tag === "Unasked" ? new InvalidParams({ option, problem: message }) : unreached(`cannot be told: ${message}`)
    ),
    Effect.timeoutOrElse({
      duration: patience,
      orElse: () => Effect.fail(unreached(`has not answered for ${patience}`))
    })
  )

const makeMessage = ({ conversation }: Place) => ({ messageId: crypto.randomUUID(), conversation })

export const makeRouting = Effect.gen(function* () {
  const clientOf = yield* Conversation.client
  const at = ({ home, cli, conversation }: Place) => clientOf(entityId(home.slot, cli, conversation))
  return {
    // The home polls the store, too.
    wake: (place, turnId, attempt) =>
      Effect.ignore(Effect.timeoutOption(at(place).Turn({ turnId, attempt }, { discard: true }), patience)),
    send: (place, text) => ask("text", at(place).Send({ ...makeMessage(place), text })),
    decide: (place, requestId, answer) =>
      Effect.suspend(() => {
        const text = Result.getOrUndefined(Result.try(() => plainJson(answer)))
        return text === undefined
          ? Effect.fail(new InvalidParams({ option: "answer", problem: "cannot be sent to another machine" }))
          : ask("answer", at(place).Decide({ ...makeMessage(place), requestId, answer: text }))
      }),
    answer: (place, requestId, answers, decider) =>
      ask(
        "answers",
        at(place).Answer({
          ...makeMessage(place),
          requestId,
          answers: answers ?? null,
          person: decider?.person ?? null,
          where: decider?.where ?? null
        })
      ),
    interrupt: (place, turnId) => ask("turnId", at(place).Interrupt({ ...makeMessage(place), turnId })),
    change: (place, { model, permissionMode }) =>
      ask(
        model === undefined ? "permissionMode" : "model",
        at(place).Change({ ...makeMessage(place), model: model ?? null, permissionMode: permissionMode ?? null })
      ),
    close: (place) =>
      Effect.ignore(Effect.timeoutOption(at(place).Close(makeMessage(place), { discard: true }), patience))
  } satisfies Routing
})

const silent = Effect.fail(unreached("looks into the store alone: a store on a PostgreSQL server passes messages on"))

/** Without messages: the home finds its turns in the store within a second; a session cannot be reached. */
export const storeAlone: Routing = {
  wake: () => Effect.void,
  send: () => silent,
  decide: () => silent,
  answer: () => silent,
  interrupt: () => Effect.succeed(false),
  change: () => silent,
  close: () => Effect.void
}
