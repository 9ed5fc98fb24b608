/** One HTTP call to a service: one attempt, ended by interruption or its deadline, and told apart by what may have happened. */
import { Readable } from "node:stream"
import { text } from "node:stream/consumers"
import type { ReadableStream } from "node:stream/web"
import { Effect, Predicate } from "effect"

export type CallFailure =
  /** No byte of the request was sent. */
  | { readonly _tag: "Unreachable" }
  /** It may have been done. */
  | { readonly _tag: "Unknown" }

const unreachable: CallFailure = { _tag: "Unreachable" }
export const unknown: CallFailure = { _tag: "Unknown" }

export interface Call {
  readonly url: string
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE"
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array<ArrayBuffer> | Blob | FormData
  /** In ms. Default: 20 s. */
  readonly deadlineMs?: number
  /**
   * On a connection of its own: the service may close an idle one at the moment when a request is written, and what became
   * of that request can then only be known where the service can be asked. Default: false.
   */
  readonly fresh?: boolean
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  /** Undefined if the answer is not JSON. */
  readonly json: unknown
}

const beforeTheRequest: ReadonlySet<string> = new Set([
  "ECONNREFUSED",
  "ENOTFOUND",
  "EAI_AGAIN",
  "EAI_NODATA",
  "EAI_NONAME",
  "EAI_FAIL",
  "UND_ERR_CONNECT_TIMEOUT",
  "CERT_HAS_EXPIRED",
  "CERT_NOT_YET_VALID",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "ERR_TLS_CERT_ALTNAME_INVALID"
])

/**
 * True if no byte of a request was sent: name look-up, connecting or the certificate failed. After other system calls the
 * request may have arrived.
 */
export const isBeforeRequest = (cause: unknown): boolean =>
  (Predicate.hasProperty(cause, "code") && beforeTheRequest.has(String(cause.code))) ||
  (Predicate.hasProperty(cause, "syscall") && cause.syscall === "connect")

/** `fetch` keeps the cause; a host with several addresses fails with one cause for each. */
const failureOf = (thrown: unknown): CallFailure => {
  const cause = Predicate.hasProperty(thrown, "cause") ? thrown.cause : thrown
  const causes = cause instanceof AggregateError && cause.errors.length > 0 ? cause.errors : [cause]
  return causes.every(isBeforeRequest) ? unreachable : unknown
}

const mostBytes = 5_000_000

/** The chunks of a body; throws `tooLong` behind so many bytes. */
export async function* bounded(
  body: ReadableStream<Uint8Array>,
  most: number,
  tooLong: unknown
): AsyncGenerator<Uint8Array> {
  let length = 0
  for await (const chunk of Readable.fromWeb(body)) {
    length += chunk.length
    if (length > most) throw tooLong
    yield chunk
  }
}

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A form as bytes. `fetch` reads the files of a form while it sends: interrupted, it would reject where nothing catches it. */
const encoded = async (
  body: Call["body"]
): Promise<{ body?: Exclude<Call["body"], FormData | undefined>; type?: string }> => {
  if (body === undefined) return {}
  if (!(body instanceof FormData)) return { body }
  const form = new Response(body)
  const type = form.headers.get("content-type")
  return { body: new Uint8Array(await form.arrayBuffer()), ...(type === null ? {} : { type }) }
}

const defaultDeadlineMs = 20_000

/** Redirects are not followed: they would take secrets to another host. Nothing of the request is in a failure. */
export const call = (request: Call): Effect.Effect<Answer, CallFailure> => {
  const { url, method = "GET", headers = {}, body, deadlineMs = defaultDeadlineMs, fresh = false } = request
  return Effect.tryPromise({
    try: async (signal) => {
      const { type, ...sent } = await encoded(body)
      const response = await fetch(url, {
        method,
        headers: {
          ...headers,
          ...(type === undefined ? {} : { "content-type": type }),
          ...(fresh ? { connection: "close" } : {})
        },
        ...sent,
        redirect: "error",
        signal
      })
      const answer = response.body === null ? "" : await text(Readable.from(bounded(response.body, mostBytes, unknown)))
      return { status: response.status, headers: response.headers, json: jsonOf(answer) }
    },
    catch: failureOf
  }).pipe(Effect.timeoutOrElse({ duration: deadlineMs, orElse: () => Effect.fail(unknown) }))
}
