/** Fields and files of a request (reference#uploading-files): JSON, or a form with `payload_json` and `files[n]`. */
import type { IncomingMessage } from "node:http"
import { limits } from "./limits.ts"
import { Refusal } from "./refusal.ts"

export interface Upload {
  readonly name: string
  readonly type: string
  readonly content: Uint8Array
}

export interface Body {
  readonly json: unknown
  /** By the number in the names of their parts. */
  readonly uploads: ReadonlyMap<string, Upload>
}

const mostBytes = limits.upload + 1_000_000
const tooLarge = () => new Refusal(413, 40_005, "Request entity too large", { broken: "limit" })

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
  const uploads = new Map<string, Upload>()
  let json: unknown = {}
  for (const [name, value] of form.entries()) {
    if (typeof value !== "string") {
      const content = new Uint8Array(await value.arrayBuffer())
      if (content.length > limits.upload) throw tooLarge()
      uploads.set(/^files\[(\d+)\]$/.exec(name)?.[1] ?? name, { name: value.name, type: value.type, content })
    } else if (name === "payload_json") json = JSON.parse(value)
  }
  return { json, uploads }
}

export const bodyOf = async (incoming: IncomingMessage): Promise<Body> => {
  const bytes = await bytesOf(incoming)
  const type = incoming.headers["content-type"] ?? ""
  try {
    if (bytes.length === 0) return { json: {}, uploads: new Map() }
    if (type.startsWith("multipart/form-data")) return await formOf(bytes, type)
    return { json: JSON.parse(bytes.toString("utf8")), uploads: new Map() }
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Refusal(400, 50_109, "The request body contains invalid JSON.")
  }
}
