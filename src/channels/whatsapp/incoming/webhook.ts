/**
 * The handler of Meta's requests: the challenge, by which it proves that an address is ours, and posts, whose signature over
 * the raw bytes is compared before anything is parsed. Other requests learn nothing.
 */
import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import { Effect } from "effect"
import { bytesOf } from "../../kit/requestBody.ts"
import type { CheckedWhatsApp } from "../WhatsAppOptions.ts"
import type { makeDecode } from "./decode.ts"
import type { Inbox } from "./inbox.ts"

/** Meta posts up to 3 MB. */
const mostBytes = 4_000_000
/** For all posts that are being read. */
const mostBytesAtOnce = 64_000_000
const patience = "10 seconds"
const full = Symbol("full")
const longestChallenge = 256

const answer = (status: number, text = ""): Response =>
  new Response(text, {
    status,
    headers: {
      "content-type": "text/plain; charset=utf-8",
      "x-content-type-options": "nosniff",
      "cache-control": "no-store"
    }
  })

const sameText = (one: string, other: string) => {
  const [a, b] = [one, other].map((text) => createHash("sha256").update(text).digest())
  return a !== undefined && b !== undefined && timingSafeEqual(a, b)
}

const isSigned = (bytes: Uint8Array, secret: string, signature: Uint8Array) =>
  timingSafeEqual(createHmac("sha256", secret).update(bytes).digest(), signature)

const signatureOf = (request: Request): Uint8Array | undefined => {
  const [, hex] = /^sha256=([\da-f]{64})$/i.exec(request.headers.get("x-hub-signature-256") ?? "") ?? []
  return hex === undefined ? undefined : Buffer.from(hex, "hex")
}

const makeChallenge =
  ({ verifyToken }: Pick<CheckedWhatsApp, "verifyToken">) =>
  (query: URLSearchParams): Response => {
    const challenge = query.get("hub.challenge") ?? ""
    const isOurs = query.get("hub.mode") === "subscribe" && sameText(query.get("hub.verify_token") ?? "", verifyToken)
    return isOurs && challenge.length <= longestChallenge ? answer(200, challenge) : answer(403)
  }

const parse = (bytes: Buffer): unknown => {
  try {
    return JSON.parse(bytes.toString("utf8"))
  } catch {
    return undefined
  }
}

export interface WebhookOptions extends Pick<CheckedWhatsApp, "appSecret" | "verifyToken"> {
  readonly decode: ReturnType<typeof makeDecode>
  readonly inbox: Pick<Inbox, "take">
  /** A post of Meta came. */
  readonly onPost: Effect.Effect<void>
}

/** Never rejects. */
export const makeHandler = Effect.fnUntraced(function* (options: WebhookOptions) {
  const { appSecret, decode, inbox, onPost } = options
  // Its clock and its log.
  const context = yield* Effect.context<never>()
  const challenge = makeChallenge(options)
  /** Bytes of the posts that are being read. */
  let held = 0

  const whole = (request: Request): Effect.Effect<Buffer, Response> =>
    Effect.suspend(() => {
      let own = 0
      return Effect.tryPromise({
        try: (signal) =>
          bytesOf(request, mostBytes, (bytes) => {
            if (signal.aborted || held + bytes > mostBytesAtOnce) throw full
            own += bytes
            held += bytes
          }),
        catch: (thrown) => answer(thrown === full ? 503 : 408)
      }).pipe(
        Effect.timeoutOrElse({ duration: patience, orElse: () => Effect.fail(answer(408)) }),
        Effect.ensuring(
          Effect.sync(() => {
            held -= own
          })
        ),
        Effect.filterOrFail(
          (bytes) => bytes !== undefined,
          () => answer(413)
        )
      )
    })

  const post = Effect.fnUntraced(function* (request: Request): Effect.fn.Return<Response, Response> {
    const signature = signatureOf(request)
    if (signature === undefined) return answer(401)
    const bytes = yield* whole(request)
    if (!isSigned(bytes, appSecret, signature)) return answer(401)
    yield* onPost
    const { incoming, malformed, moved } = decode(parse(bytes))
    if (malformed > 0)
      yield* Effect.logWarning("messages of WhatsApp could not be read, and are passed over", { malformed })
    for (const ids of moved)
      yield* Effect.logInfo("a person has another id at WhatsApp: it is a stranger until it is listed", ids)
    return (yield* inbox.take(incoming)) ? answer(200) : answer(503)
  })

  const handled = (request: Request): Effect.Effect<Response> => {
    if (request.method === "GET") return Effect.sync(() => challenge(new URL(request.url).searchParams))
    if (request.method !== "POST") return Effect.succeed(answer(405))
    return Effect.catch(post(request), (refused) => Effect.succeed(refused))
  }

  const run = Effect.runPromiseWith(context)
  return (request: Request): Promise<Response> =>
    run(
      handled(request).pipe(
        Effect.catchDefect((defect) => Effect.as(Effect.logError("a post of WhatsApp broke off", defect), answer(500)))
      ),
      { signal: request.signal }
    ).catch(() => answer(503))
})
