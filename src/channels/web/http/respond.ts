/** Responses to a page: uncached JSON, and files, with common headers. */
import type { Problem } from "../problem.ts"

/** Headers of every response. */
export const usual = {
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "cross-origin-opener-policy": "same-origin"
} as const

const ofJson = { ...usual, "content-type": "application/json; charset=utf-8", "cache-control": "no-store" } as const

export const json = (status: number, text: string, more: Readonly<Record<string, string>> = {}): Response =>
  new Response(text, { status, headers: { ...ofJson, ...more } })

export const jsonResponse = (value: unknown, status = 200): Response => json(status, JSON.stringify(value))

const asAttachment = (name: string) =>
  `attachment; filename="${name.replace(/[^\x20-\x7e]|["\\]/g, "_")}"; filename*=UTF-8''${encodeURIComponent(name.toWellFormed())}`

/** A download, which is never rendered with the page's origin. */
export const attachment = (
  body: ReadableStream<Uint8Array>,
  name: string,
  type: string,
  more: Readonly<Record<string, string>> = {}
): Response =>
  new Response(body, {
    headers: {
      ...usual,
      "content-type": type,
      "content-disposition": asAttachment(name),
      "content-security-policy": "sandbox; default-src 'none'",
      "cache-control": "no-store",
      ...more
    }
  })

export const refusal = ({ status, error, help, retryAfterS }: Problem): Response =>
  json(status, JSON.stringify({ error, ...(help === undefined ? {} : { help }) }), {
    ...(retryAfterS === undefined ? {} : { "retry-after": String(retryAfterS) }),
    ...(status === 401 ? { "www-authenticate": "Bearer" } : {})
  })
