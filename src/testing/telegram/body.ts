/** Parameters and files of a request (api#making-requests). Refuses too long a body before its end. */
import type { IncomingMessage } from "node:http"
import type { Upload } from "./files.ts"
import { limits } from "./limits.ts"
import { isRecord, type Params } from "./params.ts"
import { badRequest, Refusal } from "./refusal.ts"

export interface Body {
  readonly params: Params
  /** By the names of their parts. */
  readonly uploads: ReadonlyMap<string, Upload>
}

/** Smaller than an album of the largest allowed files. */
const mostBytes = limits.upload.bytes + 1_000_000
const tooLarge = () => new Refusal(413, "Request Entity Too Large", { broken: "limit" })

const bytesOf = async (incoming: IncomingMessage): Promise<Buffer> => {
  const chunks: Array<Buffer> = []
  let length = 0
  for await (const chunk of incoming) {
    length += chunk.length
    if (length > mostBytes) throw tooLarge()
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const formOf = async (bytes: Buffer, type: string): Promise<Body> => {
  const form = await new Response(new Uint8Array(bytes), { headers: { "content-type": type } }).formData()
  const params: Record<string, unknown> = {}
  const uploads = new Map<string, Upload>()
  for (const [name, value] of form.entries()) {
    if (typeof value === "string") params[name] = value
    else uploads.set(name, { name: value.name, content: new Uint8Array(await value.arrayBuffer()) })
  }
  return { params, uploads }
}

const read = async (bytes: Buffer, type: string): Promise<Body> => {
  const uploads = new Map<string, Upload>()
  if (bytes.length === 0) return { params: {}, uploads }
  if (type.startsWith("multipart/form-data")) return formOf(bytes, type)
  const text = bytes.toString("utf8")
  if (!type.startsWith("application/json")) return { params: Object.fromEntries(new URLSearchParams(text)), uploads }
  const params: unknown = JSON.parse(text)
  if (!isRecord(params)) throw new Error("no object")
  return { params, uploads }
}

export const bodyOf = async (incoming: IncomingMessage, query: URLSearchParams): Promise<Body> => {
  const bytes = await bytesOf(incoming)
  const { params, uploads } = await read(bytes, incoming.headers["content-type"] ?? "").catch(() => {
    throw badRequest("can't parse the request's body")
  })
  return { params: { ...Object.fromEntries(query), ...params }, uploads }
}
