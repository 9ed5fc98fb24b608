/** A question of the agent to the person. Returns at once, since no CLI waits long enough: the answer is a message. */
import { randomBytes } from "node:crypto"
import { Effect, Option, Schema } from "effect"
import { untraced } from "../../contract/untraced.ts"
import type { RequestRow } from "../journal/requests.ts"
import type { Button } from "../messages/ReplyPayload.ts"
import type { Gateway, GatewayTurn } from "./gatewayContext.ts"
import { withinPatience } from "./sending.ts"
import { inputParser, refuse, textFrom } from "./toolInput.ts"

const mostOptions = 10
const mostOfTurn = 5
const longestOption = 200

export const AskInput = Schema.Struct({
  question: Schema.String.annotate({ description: "The question, in Markdown." }),
  options: Schema.optionalKey(
    Schema.Array(Schema.String).annotate({
      description: `Answers to choose from, at most ${mostOptions}; the person may also write another one.`
    })
  )
})

const parse = inputParser(AskInput, ["question", "options"])

const Asked = Schema.Struct({
  type: Schema.Literal("ask_person"),
  question: Schema.String,
  options: Schema.Array(Schema.String)
})
const AskedJson = Schema.fromJsonString(Asked)
const encodeAsked = Schema.encodeSync(AskedJson)
const decodeAsked = Schema.decodeUnknownOption(AskedJson)

/** The label that a press stands for; undefined for rows and choices that do not belong to a question. */
export const answerOfPress = ({ request }: Pick<RequestRow, "request">, choice: string): string | undefined =>
  Option.match(decodeAsked(request), {
    onNone: () => undefined,
    onSome: ({ options }) => (/^\d{1,2}$/.test(choice) ? options[Number(choice)] : undefined)
  })

const checkedOptions = Effect.fn(...untraced("AskPerson.checkedOptions"))(function* (options: ReadonlyArray<string>) {
  if (options.length > mostOptions) return yield* refuse(`"options" has ${options.length}; at most ${mostOptions}.`)
  const checked = yield* Effect.forEach(options, (option, at) => textFrom(`options.${at}`, option, longestOption))
  const lines = checked.map((option) => option.replace(/\s+/g, " ").trim())
  return new Set(lines).size === lines.length ? lines : yield* refuse(`"options" names an option twice.`)
})

/** Buttons where they fit, else numbered lines. */
const shownAs = (
  question: string,
  options: ReadonlyArray<string>,
  id: string,
  limits: Gateway["outlet"]["limits"]["buttons"]
) => {
  const buttons: ReadonlyArray<ReadonlyArray<Button>> = options.map((label, at) => [{ label, data: `r:${id}:${at}` }])
  if (options.length === 0) return { text: question }
  if (options.length <= limits.most && options.every((label) => label.length <= limits.label)) {
    return { text: question, buttons }
  }
  return { text: [question, "", ...options.map((option, at) => `${at + 1}. ${option}`)].join("\n") }
}

/** Remembers the questions of a turn, to limit their number. */
export const makeAskPerson = ({ conversation, outlet }: Gateway) => {
  let pending: { readonly turnId: string; readonly ids: Map<string, string> } = { turnId: "", ids: new Map() }
  return Effect.fnUntraced(function* (input: unknown, turn: GatewayTurn) {
    const params = yield* parse(input)
    const question = yield* textFrom("question", params.question)
    const options = yield* checkedOptions(params.options ?? [])
    if (pending.turnId !== turn.id) pending = { turnId: turn.id, ids: new Map() }
    const { ids } = pending
    const request = encodeAsked({ type: "ask_person", question, options })
    const before = ids.get(request)
    const reply = (id: string) => ({
      status: "asked",
      id,
      note: "The answer comes as a message of its own: end your turn if you need it."
    })
    if (before !== undefined) return reply(before)
    if (ids.size >= mostOfTurn) return yield* refuse(`A turn may ask ${mostOfTurn} questions, and has. End your turn.`)
    const id = randomBytes(12).toString("base64url")
    const pieces = outlet.render(shownAs(question, options, id, outlet.limits.buttons))
    if (pieces.length === 0) return yield* refuse("There is nothing to be seen in the question.")
    ids.set(request, id)
    const row = { id, conversation, turnId: turn.id, requestId: id, request }
    const own = { conversation, kind: "request", turnId: turn.id } as const
    yield* withinPatience(
      outlet.journal.requests.put(row).pipe(
        Effect.andThen(outlet.journal.outbox.put(pieces.map((piece, at) => ({ ...own, key: `${id}/${at}`, piece })))),
        Effect.andThen(outlet.onPut),
        Effect.tapCause((cause) => Effect.logWarning("a question of the agent could not be queued", cause)),
        Effect.mapError(() => {
          ids.delete(request)
          return refuse("The question was not asked: the store of the bridge does not take it.")
        })
      )
    )
    return reply(id)
  })
}
