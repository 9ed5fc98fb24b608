/**
 * The page and its endpoints as one function from Request to Response, for any path of any server. The application names
 * the person of a request, who reaches only their own data.
 */
import { Clock, Context, Effect, Layer, Option, Stream } from "effect"
import { eventually } from "../../../contract/Input.ts"
import type { StoreError } from "../../../contract/StoreError.ts"
import { shortLine } from "../../../contract/text/harmless.ts"
import { untraced } from "../../../contract/untraced.ts"
import { monotonicMillis } from "../../../system/hostClock.ts"
import { chunksOf } from "../../kit/requestBody.ts"
import { Files } from "../files.ts"
import { isPersonId, personIdForm } from "../ids.ts"
import { Page } from "../page.ts"
import { type Failing, type Problem, problem, problems, uploadProblems } from "../problem.ts"
import { ChangeBody, ChangesBody, ChangesWish, MessageBody, PressBody, parseBody } from "../requestBodies.ts"
import { Routing } from "../routing.ts"
import { Hub } from "../rows/hub.ts"
import type { RowTable } from "../rows/rowTable.ts"
import { PageState } from "../state.ts"
import { TurnProjection } from "../turnProjection.ts"
import { UserActions } from "../userActions.ts"
import type { WebPerson } from "../WebChatOptions.ts"
import { eventHeaders, makeEvents } from "./events.ts"
import { type Exporting, exportJson, exportMarkdown, fileNameOf } from "./exported.ts"
import { pageFile, pageNames } from "./pageFiles.ts"
import { isOwnOrigin, type Route, routeOf, textOf } from "./request.ts"
import { attachment, json, jsonResponse, refusal } from "./respond.ts"

const burst = 120
const perSecond = 6
const mostPeople = 10_000

/** Rate limit: a token bucket for each person, of whom the least recent are forgotten. */
const makePace = () => {
  const buckets = new Map<string, { left: number; at: number }>()
  return {
    /** Returns false if it is too fast. `now`: in ms, of a monotonic clock. */
    take: (person: string, now: number): boolean => {
      const known = buckets.get(person) ?? { left: burst, at: now }
      const left = Math.min(burst, known.left + ((now - known.at) / 1_000) * perSecond)
      buckets.delete(person)
      buckets.set(person, { left: left < 1 ? left : left - 1, at: now })
      const [oldest] = buckets.keys()
      if (buckets.size > mostPeople && oldest !== undefined) buckets.delete(oldest)
      return left >= 1
    }
  }
}

/** All rows at its start. A failure of the store cuts the file off, which the reader notices. */
export const exportOf = (
  table: Pick<RowTable["Service"], "after" | "ends">,
  chat: string,
  { head, rows, tail }: Exporting
) =>
  Stream.unwrap(
    Effect.map(table.ends(chat), ({ newest }) => {
      const body = Stream.paginate(0, (from: number) =>
        Effect.map(table.after(chat, from), (batch) => {
          const last = batch.at(-1)?.id ?? newest
          return [[rows(batch.filter(({ id }) => id <= newest))], last < newest ? Option.some(last) : Option.none()]
        })
      )
      return Stream.concat(Stream.concat(Stream.make(head), body), Stream.sync(tail))
    })
  )

/** Never rejects. */
export class Handler extends Context.Service<Handler, (request: Request) => Promise<Response>>()("reins/web/Handler") {
  static readonly layer = Layer.effect(
    Handler,
    Effect.suspend(() => makeHandler)
  )
}

type Answer = Failing<Response>

const readMessage = parseBody(MessageBody)
const readPress = parseBody(PressBody)
const readChange = parseBody(ChangeBody)

const readChanges = parseBody(ChangesBody)
const readDiff = parseBody(ChangesWish)

/** A look at the changes, at one of their files, or an action on them. */
const changesWish = (request: Request, query: URLSearchParams): Effect.Effect<ChangesWish, Problem> => {
  if (request.method === "POST") return Effect.flatMap(textOf(request), (text) => Effect.fromResult(readChanges(text)))
  const [commit, path] = [query.get("commit"), query.get("path")]
  if (commit === null && path === null) return Effect.succeed({ do: "read" })
  return Effect.fromResult(readDiff(JSON.stringify({ do: "diff", commit, path })))
}

const readersOfOne = 32
const readersInAll = 512
const turnsOfPage = 200
const posts: ReadonlySet<Route["_tag"]> = new Set(["Messages", "Files", "Press", "Conversation"])
/** Methods of a route: changes are read and acted on at the same place. */
const methodsOf = ({ _tag }: Route) =>
  _tag === "Changes" ? ["GET", "POST"] : [posts.has(_tag) ? "POST" : "GET", ...(_tag === "Page" ? ["HEAD"] : [])]

const numberIn = (text: string | null | undefined): number | undefined =>
  /^\d{1,15}$/.test(text ?? "") ? Number(text) : undefined

const makeHandler = Effect.gen(function* () {
  const { options, uploadBytes } = yield* Page
  const [actions, files, routing] = [yield* UserActions, yield* Files, yield* Routing]
  const [state, hub, projection] = [yield* PageState, yield* Hub, yield* TurnProjection]
  const eventsFor = yield* makeEvents
  const context = Context.make(Clock.Clock, yield* Clock.Clock)
  const pace = makePace()

  const personOf = (request: Request): Effect.Effect<WebPerson, Problem> =>
    eventually(() => options.authorize(request)).pipe(
      Effect.catchCause(() => Effect.as(Effect.logWarning("the application could not say who is asking"), undefined)),
      Effect.flatMap((person) => {
        if (person === undefined) return Effect.fail(problems.nobody)
        if (isPersonId(person.id)) return Effect.succeed(person)
        const id = JSON.stringify(shortLine(String(person.id), 60))
        const warning = `authorize of the page gave ${id} as an id: an id is ${personIdForm}`
        return Effect.andThen(Effect.logWarning(warning), Effect.fail(problems.unusable))
      })
    )

  /** Until a bridge serves, every person counts as listed. */
  const isListed = (person: WebPerson) => projection.served() === undefined || actions.isListed(person)

  const events = Effect.fn(...untraced("Handler.events"))(function* (
    person: WebPerson,
    request: Request,
    query: URLSearchParams
  ): Answer {
    const id = query.get("conversation")
    const reached = id === null ? undefined : yield* routing.conversation(person, id)
    if (hub.of(person.id) >= readersOfOne || hub.size() >= readersInAll) return yield* problems.tooManyReaders
    const after = numberIn(request.headers.get("last-event-id")) ?? numberIn(query.get("after"))
    // Counts from now on, since the body may be read later, or never.
    const reader = hub.join(person.id, reached)
    request.signal.addEventListener("abort", () => hub.leave(reader), { once: true })
    const isAllowed = Effect.match(personOf(request), {
      onFailure: () => false,
      onSuccess: (now) => now.id === person.id && isListed(now)
    })
    const frames = eventsFor({ person, reached, after, isAllowed, reader })
    const body = Stream.toReadableStreamWith(Stream.encodeText(frames), context)
    return new Response(body, { headers: eventHeaders })
  })

  const rows = Effect.fn(...untraced("Handler.rows"))(function* (person: WebPerson, query: URLSearchParams) {
    const { table, chat } = yield* routing.conversation(person, query.get("conversation"))
    const before = numberIn(query.get("before")) ?? Number.MAX_SAFE_INTEGER
    const found = yield* table.before(chat, before, turnsOfPage)
    return json(200, `{"rows":[${found.map((row) => row.json).join(",")}],"oldest":${found[0]?.id ?? 0}}`)
  })

  const upload = Effect.fn(...untraced("Handler.upload"))(function* (
    person: WebPerson,
    request: Request,
    query: URLSearchParams
  ): Answer {
    const type = request.headers.get("content-type")?.split(";")[0]?.trim().toLowerCase() ?? ""
    // Content types that a form of another page may send without a preflight.
    const isSimple = /^(?:text\/plain|multipart\/form-data|application\/x-www-form-urlencoded)$/.test(type)
    if (isSimple || !/^[a-z]+\/[\w.+-]+$/.test(type))
      return yield* problem(415, "A file is sent as application/octet-stream, or as an image, audio or video.")
    yield* actions.listed(person, crypto.randomUUID())
    if (Number(request.headers.get("content-length") ?? 0) > uploadBytes)
      return yield* uploadProblems["too large"](uploadBytes)
    const name = query.get("name") ?? "file"
    const mimeType = type === "application/octet-stream" ? undefined : type
    const stored = yield* files.upload(person.id, { name, mimeType }, chunksOf(request))
    return typeof stored === "string" ? yield* uploadProblems[stored](uploadBytes) : jsonResponse(stored, 201)
  })

  const file = Effect.fn(...untraced("Handler.file"))(function* (person: WebPerson, id: string): Answer {
    const { file: found, body } = yield* routing.file(person, id)
    const type = found.kind === "image" ? (found.mimeType ?? "application/octet-stream") : "application/octet-stream"
    return attachment(body, found.name, type, { "content-length": String(found.bytes) })
  })

  const exported = Effect.fn(...untraced("Handler.exported"))(function* (
    person: WebPerson,
    id: string,
    query: URLSearchParams
  ): Answer {
    const form = query.get("format") ?? "md"
    if (form !== "md" && form !== "json") return yield* problems.wrong(`"format" is md or json.`)
    const { chat, table, conversations } = yield* routing.conversation(person, id)
    const title = (yield* conversations.get(chat))?.title ?? "Conversation"
    const body = exportOf(table, chat, (form === "json" ? exportJson : exportMarkdown)(title))
    const type = form === "json" ? "application/json; charset=utf-8" : "text/markdown; charset=utf-8"
    return attachment(Stream.toReadableStreamWith(Stream.encodeText(body), context), fileNameOf(title, form), type)
  })

  const answer = Effect.fn(...untraced("Handler.answer"))(function* (
    person: WebPerson,
    route: Exclude<Route, { readonly _tag: "Page" }>,
    request: Request,
    query: URLSearchParams
  ): Answer {
    switch (route._tag) {
      case "State":
        return json(200, yield* state.json(person))
      case "Events":
        return yield* events(person, request, query)
      case "Rows":
        return yield* rows(person, query)
      case "Messages": {
        const message = yield* Effect.fromResult(readMessage(yield* textOf(request)))
        yield* (yield* routing.acts(person, message.conversation)).say(person, message)
        return jsonResponse({ id: message.id, conversation: message.conversation }, 202)
      }
      case "Files":
        return yield* upload(person, request, query)
      case "File":
        return yield* file(person, route.id)
      case "Press": {
        const pressed = yield* Effect.fromResult(readPress(yield* textOf(request)))
        const { press } = yield* routing.acts(person, pressed.conversation)
        const { text, isHeard = false } = yield* press(person, pressed)
        return jsonResponse(text === undefined ? {} : { text }, isHeard ? 202 : 200)
      }
      case "Conversation": {
        const { chat, acts, conversations } = yield* routing.conversation(person, route.id)
        const change = yield* Effect.fromResult(readChange(yield* textOf(request)))
        yield* acts.change(person, route.id, change)
        return jsonResponse({ ...(yield* conversations.get(chat)) })
      }
      case "Changes": {
        const { acts } = yield* routing.conversation(person, route.id)
        return json(200, yield* acts.changes(person, route.id, yield* changesWish(request, query)))
      }
      case "Export":
        return yield* exported(person, route.id, query)
    }
  })

  const handled = Effect.fn(...untraced("Handler.handled"))(function* (request: Request): Answer {
    const url = new URL(request.url)
    const route = routeOf(url.pathname, pageNames())
    if (route === undefined) return yield* problems.notFound
    if (!methodsOf(route).includes(request.method)) return yield* problem(405, "This cannot be done here.")
    if (route._tag === "Page") return pageFile(route.name) ?? (yield* problems.notFound)
    if (!isOwnOrigin(request, options.origins)) return yield* problems.elsewhere
    const person = yield* personOf(request)
    if (!pace.take(person.id, yield* monotonicMillis)) return yield* problems.tooFast
    if (!isListed(person)) return yield* problems.notListed
    return yield* answer(person, route, request, url.searchParams)
  })

  const storeFailed = ({ message, reason }: StoreError) =>
    Effect.as(
      Effect.logWarning(`a request of the page was not done: ${message}`),
      refusal(problems.store(reason._tag === "StoreUnavailable" ? `${reason.message}.` : undefined))
    )

  const whole = (request: Request): Effect.Effect<Response> =>
    handled(request).pipe(
      Effect.catchTags({ Problem: (refused) => Effect.succeed(refusal(refused)), StoreError: storeFailed }),
      Effect.catchDefect((defect) =>
        Effect.as(Effect.logError("a request of the page broke off", defect), refusal(problems.failed))
      )
    )

  const run = Effect.runPromiseWith(context)
  return (request: Request): Promise<Response> =>
    run(whole(request), { signal: request.signal }).catch(() => refusal(problem(499, "The request was taken back.")))
})
