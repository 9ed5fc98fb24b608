/** The proof that a delivery is of its sender, compared in constant time: by a header alone, or over the bytes of the body. */
import { createHash, createHmac, timingSafeEqual } from "node:crypto"
import type { WebhookSignature } from "../webhookOptions.ts"

/** Seconds by which the time of a signed delivery may differ. */
const longestAge = 300

const digestOf = (text: string) => createHash("sha256").update(text).digest()

const isSame = (one: string, other: string) => timingSafeEqual(digestOf(one), digestOf(other))

const bytesOfHex = (pattern: RegExp, header: string | null): Uint8Array | undefined => {
  const [, hex] = pattern.exec(header ?? "") ?? []
  return hex === undefined ? undefined : Buffer.from(hex, "hex")
}

type Check = (bytes: Uint8Array) => boolean

interface Signed {
  readonly secret: string
  readonly headers: Headers
  /** In ms since 1970. */
  readonly now: number
}

const isRight: Check = () => true

const checks: { readonly [S in WebhookSignature]: (signed: Signed) => Check | undefined } = {
  github: ({ secret, headers }) => {
    const signature = bytesOfHex(/^sha256=([\da-f]{64})$/i, headers.get("x-hub-signature-256"))
    return signature && ((bytes) => timingSafeEqual(createHmac("sha256", secret).update(bytes).digest(), signature))
  },
  gitlab: ({ secret, headers }) => (isSame(headers.get("x-gitlab-token") ?? "", secret) ? isRight : undefined),
  bearer: ({ secret, headers }) => {
    const [, token = ""] = /^Bearer ([\x21-\x7e]+)$/i.exec(headers.get("authorization") ?? "") ?? []
    return isSame(token, secret) ? isRight : undefined
  },
  hmac: ({ secret, headers, now }) => {
    const signature = bytesOfHex(/^v0=([\da-f]{64})$/i, headers.get("x-slack-signature"))
    const time = headers.get("x-slack-request-timestamp") ?? ""
    if (signature === undefined || !/^\d{1,12}$/.test(time)) return undefined
    if (Math.abs(now / 1_000 - Number(time)) > longestAge) return undefined
    return (bytes) =>
      timingSafeEqual(createHmac("sha256", secret).update(`v0:${time}:`).update(bytes).digest(), signature)
  }
}

/** The check of the body; undefined if the headers are refused already. */
export const readSignature = (kind: WebhookSignature, signed: Signed): Check | undefined => checks[kind](signed)
