/**
 * The HTTP client of the exporter. A collector may be down, hang, answer slowly or with rubbish: each batch is given up in
 * bounded time, all batches in flight take bounded memory, and no answer is kept. Redirects are not followed, since they
 * would carry headers with keys to another server.
 */
import { Agent, type IncomingMessage, request as requestHttp } from "node:http"
import { request as requestHttps, Agent as SecureAgent } from "node:https"
import { Data, Effect, type Scope } from "effect"
import * as HttpClient from "effect/http/HttpClient"
import * as HttpClientError from "effect/http/HttpClientError"
import * as HttpClientResponse from "effect/http/HttpClientResponse"
import { shownUrl } from "./settings.ts"

const maxBytes = 8 * 1024 * 1024 // of all batches in flight
const maxAnswerBytes = 64 * 1024
const maxTries = 4
/** By the specification of OTLP/HTTP; other statuses would be repeated. */
const isTransient = (status: number) => [429, 502, 503, 504].includes(status)

class NotDelivered extends Data.TaggedError("NotDelivered")<{
  readonly problem: string
  readonly isTransient: boolean
  readonly retryAfterMs?: number | undefined
}> {}

interface Post {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
}

const problems: Readonly<Record<string, string>> = {
  ECONNREFUSED: "nothing listens there",
  ENOTFOUND: "the host does not exist",
  EAI_AGAIN: "its host could not be looked up",
  ECONNRESET: "the connection was cut"
}
/** Codes of a broken connection, also of a kept one that the server closes as it is reused. */
const transientCodes: ReadonlySet<string | undefined> = new Set(["ECONNRESET", "EPIPE", "ETIMEDOUT", "EAI_AGAIN"])

/** Hides the message, which can have the address with its secrets. */
const problemOf = (error: NodeJS.ErrnoException): string => {
  const code = /^[A-Z][A-Z0-9_]{1,60}$/.test(error.code ?? "") ? String(error.code) : "no connection"
  const known = code.startsWith("HPE_") ? "the answer is not HTTP" : problems[code]
  return known === undefined ? code : `${known} (${code})`
}

const retryAfter = ({ headers }: IncomingMessage): number | undefined => {
  const seconds = headers["retry-after"]
  return seconds !== undefined && /^\d{1,6}$/.test(seconds) ? Number(seconds) * 1_000 : undefined
}

const verdictOf = (response: IncomingMessage): Effect.Effect<void, NotDelivered> => {
  const { statusCode = 0 } = response
  if (statusCode >= 200 && statusCode < 300) return Effect.void
  const isRedirect = statusCode >= 300 && statusCode < 400
  const problem = `it answers ${statusCode}${isRedirect ? ", and redirects are not followed" : ""}`
  return Effect.fail(
    new NotDelivered({ problem, isTransient: isTransient(statusCode), retryAfterMs: retryAfter(response) })
  )
}

/** Reads an answer, up to a limit, so that the connection can be reused. */
const discard = (response: IncomingMessage) => {
  let bytes = 0
  response.on("data", (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > maxAnswerBytes) response.destroy()
  })
  response.on("error", () => {})
}

const patience = (retryAfterMs: number | undefined, tries: number) => retryAfterMs ?? 125 * 2 ** tries

/** `onLost` is called for each batch that is given up. */
export const makeSender = (
  onLost: (problem: string) => Effect.Effect<void>
): Effect.Effect<(timeoutMs: number) => HttpClient.HttpClient, never, Scope.Scope> =>
  Effect.gen(function* () {
    const agents = {
      "http:": new Agent({ keepAlive: true, maxSockets: 4 }),
      "https:": new SecureAgent({ keepAlive: true, maxSockets: 4 })
    }
    yield* Effect.addFinalizer(() =>
      Effect.sync(() => {
        for (const agent of Object.values(agents)) agent.destroy()
      })
    )
    let bytesOnTheirWay = 0

    const post = ({ url, headers, body }: Post): Effect.Effect<void, NotDelivered> =>
      Effect.callback((resume) => {
        const isSecure = url.protocol === "https:"
        const options = { method: "POST", headers: { ...headers, "content-length": body.length } }
        const request = isSecure
          ? requestHttps(url, { ...options, agent: agents["https:"] })
          : requestHttp(url, { ...options, agent: agents["http:"] })
        request.on("response", (response) => {
          discard(response)
          resume(verdictOf(response))
        })
        request.on("error", (error: NodeJS.ErrnoException) =>
          resume(
            Effect.fail(new NotDelivered({ problem: problemOf(error), isTransient: transientCodes.has(error.code) }))
          )
        )
        request.end(body)
        return Effect.sync(() => request.destroy())
      })

    /** `onTry` gets each failure that is followed by another try. */
    const deliver = (
      posted: Post,
      onTry: (failure: NotDelivered) => void,
      tries = 1
    ): Effect.Effect<void, NotDelivered> =>
      Effect.catchTag(post(posted), "NotDelivered", (failure) => {
        if (!failure.isTransient || tries >= maxTries) return Effect.fail(failure)
        onTry(failure)
        const again = Effect.suspend(() => deliver(posted, onTry, tries + 1))
        return Effect.andThen(Effect.sleep(patience(failure.retryAfterMs, tries)), again)
      })

    const bounded = (posted: Post, timeoutMs: number): Effect.Effect<void, NotDelivered> =>
      Effect.suspend(() => {
        const { url, body } = posted
        const onLostAt = (problem: string) => onLost(`${shownUrl(url)}: ${problem}`)
        if (bytesOnTheirWay + body.length > maxBytes) {
          const failure = new NotDelivered({ problem: "it is too slow for what is sent", isTransient: false })
          return Effect.andThen(onLostAt(failure.problem), Effect.fail(failure))
        }
        bytesOnTheirWay += body.length
        let last = "it does not answer"
        const onTry = ({ problem }: NotDelivered) => {
          last = problem
        }
        const tooSlow = () =>
          Effect.fail(new NotDelivered({ problem: `${last} (${timeoutMs} ms)`, isTransient: false }))
        return deliver(posted, onTry).pipe(
          Effect.timeoutOrElse({ duration: timeoutMs, orElse: tooSlow }),
          Effect.tapError(({ problem }) => onLostAt(problem)),
          Effect.onInterrupt(() => onLostAt(`${last}, and the program ends`)),
          Effect.ensuring(
            Effect.sync(() => {
              bytesOnTheirWay -= body.length
            })
          )
        )
      })

    return (timeoutMs) =>
      HttpClient.make((request, url) => {
        const { body, headers } = request
        const bytes = body._tag === "Uint8Array" ? body.body : new Uint8Array()
        const contentType = body._tag === "Uint8Array" ? { "content-type": body.contentType } : {}
        return bounded({ url, headers: { ...headers, ...contentType }, body: bytes }, timeoutMs).pipe(
          Effect.as(HttpClientResponse.fromWeb(request, new Response(null, { status: 200 }))),
          // A kind of error that the exporter does not repeat: it was repeated here.
          Effect.mapError(
            ({ problem }) =>
              new HttpClientError.HttpClientError({
                reason: new HttpClientError.EncodeError({ request, description: problem })
              })
          )
        )
      })
  })
