/** Arguments and bytes of a request. Refuses too long a body before its end. */
import type { IncomingMessage } from "node:http"
import { limits } from "./limits.ts"
import { isRecord, type Params } from "./params.ts"
import { Refusal } from "./refusal.ts"

/** For an API call. */
const mostBytes = 1_000_000

export const bytesOf = async (incoming: IncomingMessage, most: number = limits.files.bytes): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  let length = 0
  for await (const chunk of incoming) {
    length += chunk.length
    if (length > most) throw new Refusal("request_too_large", { status: 413, broken: "limit" })
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const jsonOf = (text: string): Params => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new Refusal("invalid_json")
  }
  if (!isRecord(value)) throw new Refusal("json_not_object")
  return value
}

export const formOf = async (bytes: Buffer, type: string): Promise<Readonly<Record<string, string | File>>> =>
  Object.fromEntries(
    (await new Response(new Uint8Array(bytes), { headers: { "content-type": type } }).formData()).entries()
  )

export interface Body {
  readonly params: Params
  /** For the header, or of a form; never of JSON: docs, Web API. */
  readonly token: string | undefined
  /** The token is the header's. */
  readonly isBearer: boolean
}

export const bearerOf = ({ headers }: IncomingMessage) => /^Bearer (\S+)$/i.exec(headers.authorization ?? "")?.[1]

export const bodyOf = async (incoming: IncomingMessage, query: URLSearchParams): Promise<Body> => {
  const bytes = await bytesOf(incoming, mostBytes)
  const type = incoming.headers["content-type"] ?? ""
  const text = bytes.toString("utf8")
  const inUrl: Params = Object.fromEntries(query)
  const bearer = bearerOf(incoming)
  if (type.startsWith("application/json"))
    return { params: { ...inUrl, ...(text === "" ? {} : jsonOf(text)) }, token: bearer, isBearer: bearer !== undefined }
  if (text !== "" && type === "") throw new Refusal("missing_post_type")
  if (text !== "" && !type.startsWith("application/x-www-form-urlencoded") && !type.startsWith("multipart/form-data"))
    throw new Refusal("invalid_post_type")
  const form = type.startsWith("multipart/form-data")
    ? await formOf(bytes, type)
    : Object.fromEntries(new URLSearchParams(text))
  const params: Params = { ...inUrl, ...form }
  const { token, ...more } = params
  return {
    params: more,
    token: bearer ?? (typeof token === "string" ? token : undefined),
    isBearer: bearer !== undefined
  }
}
