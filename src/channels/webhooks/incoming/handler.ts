/**
 * The handler of `POST /hooks/NAME`: proof of the sender over the raw bytes, then the rate, then the JSON, the template and
 * the journal. Senders without proof learn nothing but whether the path exists, and cost a bounded body at most.
 */
import { randomBytes } from "node:crypto"
import { Clock, Effect, Option, Predicate, Result, Schema } from "effect"
import { type ChannelMessage, deliveryPrefix } from "../../../bridge/messages/ChannelMessage.ts"
import { turnIdOf } from "../../../bridge/turn/prompt.ts"
import type { AgentRunResult } from "../../../contract/AgentRunResult.ts"
import { harmless } from "../../../contract/text/harmless.ts"
import { monotonicMillis } from "../../../system/hostClock.ts"
import { boundedMap } from "../../kit/boundedMap.ts"
import { bytesOf } from "../../kit/requestBody.ts"
import type { Answers } from "../outgoing/answers.ts"
import { accountId, channelId, type Webhook } from "../webhookOptions.ts"
import { deliveryIdOf } from "./deliveryId.ts"
import type { Fate, Inbox } from "./inbox.ts"
import { makeNotes } from "./notes.ts"
import { promptOf } from "./prompt.ts"
import { makeRate, type Rate } from "./rate.ts"
import { readSignature } from "./signature.ts"

/** For all bodies that are being read. */
const mostBytesAtOnce = 64_000_000
const patience = "10 seconds"
const full = Symbol("full")
/** Repeats of these cost no access to the store; the journal knows older ones. */
const mostKnown = 5_000
const mostAnswers = 100
const deepest = 100
/** Seconds after which a sender may try again, if nothing better is known. */
const later = 60

interface Headers {
  readonly [name: string]: string
}

const answer = (status: number, body: object, headers: Headers = {}): Response =>
  new Response(JSON.stringify(body), {
    status,
    headers: {
      "content-type": "application/json; charset=utf-8",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store",
      ...headers
    }
  })

const refuse = (status: number, error: string, headers?: Headers) => answer(status, { error }, headers)
const retryAfter = (seconds: number) => ({ "retry-after": String(seconds) })

const taken = () => answer(200, { status: "already taken", help: "This delivery was taken before: nothing is started" })

/** Whether lists and objects are nested deeper than that; the parser has not seen the text yet. */
const isDeeper = (text: string, most: number): boolean => {
  let depth = 0
  let isInText = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 34) isInText = !isInText
    else if (isInText) at += code === 92 ? 1 : 0
    else if (code === 91 || code === 123) depth += 1
    else if (code === 93 || code === 125) depth -= 1
    if (depth > most) return true
  }
  return false
}

const decoder = new TextDecoder("utf-8", { fatal: true })
const readJson = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Unknown))

const documentOf = (bytes: Uint8Array): Result.Result<unknown, string> => {
  let text: string
  try {
    text = decoder.decode(bytes)
  } catch {
    return Result.fail("The body is not UTF-8")
  }
  if (isDeeper(text, deepest)) return Result.fail(`The body is nested deeper than ${deepest} levels`)
  const document = readJson(text)
  return Option.isSome(document) ? Result.succeed(document.value) : Result.fail("The body is not JSON")
}

const isJson = (headers: globalThis.Headers) =>
  /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(headers.get("content-type") ?? "")

/** The answer to what services send when a webhook is set up, before they send deliveries. */
const greetingOf = ({ signature }: Webhook, headers: globalThis.Headers, document: unknown): Response | undefined => {
  if (signature === "github" && headers.get("x-github-event") === "ping") return answer(200, { status: "pong" })
  if (signature !== "hmac" || !Predicate.hasProperty(document, "challenge")) return undefined
  const { challenge } = document
  const isAsked = Predicate.hasProperty(document, "type") && document.type === "url_verification"
  return isAsked && typeof challenge === "string" && /^[\w.-]{1,256}$/.test(challenge)
    ? answer(200, { challenge })
    : undefined
}

const endOf = ({ outcome, reason, text }: AgentRunResult): Response =>
  answer(outcome === "completed" ? 200 : 502, { status: outcome, reason, answer: text })

interface HandlerOptions {
  readonly webhooks: ReadonlyArray<Webhook>
  readonly inbox: Pick<Inbox, "offer">
  readonly answers: Answers
}

interface Served {
  readonly webhook: Webhook
  readonly rate: Rate
}

/** Never rejects. */
export const makeHandler = Effect.fnUntraced(function* ({ webhooks, inbox, answers }: HandlerOptions) {
  const context = yield* Effect.context<never>()
  const served = new Map(
    webhooks.map((webhook): [string, Served] => [webhook.name, { webhook, rate: makeRate(webhook.perMinute) }])
  )
  const known = boundedMap<true>(mostKnown)
  const note = makeNotes()
  /** Bytes of the bodies that are being read. */
  let held = 0

  const whole = (request: Request, most: number): Effect.Effect<Buffer, Response> =>
    Effect.suspend(() => {
      let own = 0
      return Effect.tryPromise({
        try: (signal) =>
          bytesOf(request, most, (bytes) => {
            if (signal.aborted || held + bytes > mostBytesAtOnce) throw full
            own += bytes
            held += bytes
          }),
        catch: (thrown) =>
          thrown === full
            ? refuse(503, "Too many bodies arrive at once", retryAfter(later))
            : refuse(408, "The body did not arrive")
      }).pipe(
        Effect.timeoutOrElse({
          duration: patience,
          orElse: () => Effect.fail(refuse(408, "The body did not arrive in time"))
        }),
        Effect.ensuring(
          Effect.sync(() => {
            held -= own
          })
        ),
        Effect.filterOrFail(
          (bytes) => bytes !== undefined,
          () => refuse(413, `The body is larger than ${most} bytes`)
        )
      )
    })

  /** The body of a delivery that its sender has signed. */
  const proven = Effect.fnUntraced(function* (
    { name, secret, signature, mostBytes }: Webhook,
    request: Request
  ): Effect.fn.Return<Buffer, Response> {
    const { headers } = request
    const forged = Effect.as(
      note(name, "forged", `a delivery without the right proof (${signature}) is refused`),
      refuse(401, "The proof of the sender is missing or wrong")
    )
    const isSigned = readSignature(signature, { secret, headers, now: yield* Clock.currentTimeMillis })
    if (isSigned === undefined) return yield* Effect.flip(forged)
    const bytes = yield* whole(request, mostBytes)
    return isSigned(bytes) ? bytes : yield* Effect.flip(forged)
  })

  const messageOf = ({ name, chatId }: Webhook, id: string, text: string, sentAt: number): ChannelMessage => ({
    conversation: { channel: channelId, accountId, chatId },
    updateId: `${deliveryPrefix}${name}/${id}`,
    chat: "direct",
    sentAt,
    sender: { id: name, name, isBot: false },
    text,
    attachments: [],
    addressed: true,
    whileBusy: "queue"
  })

  const declined = Effect.fnUntraced(function* (
    { name, pausedStatus }: Webhook,
    fate: Exclude<Fate, "stored">
  ): Effect.fn.Return<Response> {
    if (fate === "known") return taken()
    if (fate === "failed") return refuse(500, "The delivery was not taken: the log of the host has the reason")
    if (fate === "late") return refuse(503, "The host does not take deliveries now", retryAfter(later))
    const status = pausedStatus === 202 ? 503 : pausedStatus
    if (fate === "paused") return refuse(status, "The host is paused", retryAfter(later))
    yield* note(name, "full", "too many deliveries wait for their turn: a further one is sent away")
    return refuse(status, "Too many deliveries wait for their turn", retryAfter(later))
  })

  /** A failure is an answer, too. */
  const post = Effect.fnUntraced(function* (
    { webhook, rate }: Served,
    request: Request
  ): Effect.fn.Return<Response, Response> {
    const { name, template, answerMs, pausedStatus, rateStatus, perMinute } = webhook
    const { headers } = request
    const bytes = yield* proven(webhook, request)
    if (!isJson(headers)) {
      yield* note(name, "type", "a delivery that is not application/json is refused")
      return refuse(415, "The content type is not application/json: choose it where the webhook is set up")
    }
    const read = documentOf(bytes)
    if (Result.isFailure(read)) {
      yield* note(name, "body", "a delivery that is not JSON is refused")
      return refuse(400, read.failure)
    }
    const document = read.success
    const greeting = greetingOf(webhook, headers, document)
    if (greeting !== undefined) return greeting
    const id = deliveryIdOf(webhook, headers, bytes)
    const key = `${name}/${id}`
    if (known.has(key)) return taken()
    const waitMs = rate.take(yield* monotonicMillis)
    if (waitMs > 0) {
      yield* note(name, "rate", `more than ${perMinute} deliveries in a minute: a further one is sent away`)
      return refuse(rateStatus, `More than ${perMinute} deliveries in a minute`, retryAfter(Math.ceil(waitMs / 1_000)))
    }
    const prompt = promptOf({ name, template, document, mark: randomBytes(8).toString("hex") })
    if (Result.isFailure(prompt)) {
      const field = prompt.failure
      yield* note(name, `field ${field}`, `a delivery without the field ${field} of its template is refused`)
      return refuse(422, `The delivery has no field ${field}, which the prompt of this webhook names`)
    }
    if (answerMs !== undefined && answers.size() >= mostAnswers)
      return refuse(503, "Too many requests wait for answers", retryAfter(later))
    const message = messageOf(webhook, id, prompt.success, yield* Clock.currentTimeMillis)
    const expected = answerMs === undefined ? undefined : answers.expect(turnIdOf(message))
    return yield* Effect.gen(function* () {
      const fate = yield* inbox.offer(message, pausedStatus === 202)
      if (fate === "stored" || fate === "known") known.set(key, true)
      if (fate !== "stored") return yield* declined(webhook, fate)
      yield* Effect.logInfo(`webhook ${name}: a delivery was taken (${harmless(id)})`)
      const accepted = answer(202, { status: "taken", delivery: id })
      if (expected === undefined) return accepted
      return yield* Effect.timeoutOrElse(Effect.map(expected.end, endOf), {
        duration: answerMs ?? 0,
        orElse: () => Effect.succeed(accepted)
      })
    }).pipe(Effect.ensuring(expected?.forget ?? Effect.void))
  })

  const handled = (request: Request): Effect.Effect<Response> => {
    const [, name = ""] = /^\/hooks\/([\w.-]{1,60})$/.exec(new URL(request.url).pathname) ?? []
    const found = served.get(name)
    if (found === undefined) return Effect.succeed(refuse(404, "There is nothing here"))
    if (request.method !== "POST") return Effect.succeed(refuse(405, "Use POST", { allow: "POST" }))
    return Effect.catch(post(found, request), Effect.succeed)
  }

  const run = Effect.runPromiseWith(context)
  return (request: Request): Promise<Response> =>
    run(
      handled(request).pipe(
        Effect.catchDefect((defect) =>
          Effect.as(Effect.logError("a delivery of a webhook broke off", defect), refuse(500, "The delivery broke off"))
        )
      ),
      { signal: request.signal }
    ).catch(() => refuse(503, "The host ends"))
})
