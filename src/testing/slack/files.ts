/** Files: of people, and of the bot, whose upload has three steps (docs: Working with files). */

import { limits } from "./limits.ts"
import type { KeptFile } from "./places.ts"
import { beyond, Refusal } from "./refusal.ts"

export interface NewFile {
  readonly name: string
  readonly content: Uint8Array
  readonly mimeType?: string
  readonly isVoice?: boolean
  readonly user: string
  /** Pretended length. Default: the length of the content. */
  readonly bytes?: number
}

interface Upload {
  readonly id: string
  readonly name: string
  readonly length: number
  content: Uint8Array | undefined
}

const types: Readonly<Record<string, string>> = {
  txt: "text/plain",
  md: "text/markdown",
  json: "application/json",
  png: "image/png",
  jpg: "image/jpeg",
  pdf: "application/pdf",
  mp4: "audio/mp4"
}

const typeOf = (name: string) => types[/\.(\w+)$/.exec(name)?.[1]?.toLowerCase() ?? ""] ?? "application/octet-stream"

/** `root`: the address of the server, known once it listens. */
export const makeFiles = (now: () => number, root: () => string, team: string) => {
  const all = new Map<string, { readonly record: KeptFile; readonly content: Uint8Array }>()
  const uploads = new Map<string, Upload>()
  let count = 0
  const nextId = () => `F0FILE${String(++count).padStart(4, "0")}`
  const add = (
    { name, content, mimeType = typeOf(name), isVoice = false, user, bytes = content.length }: NewFile,
    { id = nextId(), title = name } = {}
  ): KeptFile => {
    const record: KeptFile = { id, name, title, mimeType, bytes, user, createdAt: now(), isVoice, shares: [] }
    all.set(id, { record, content })
    return record
  }
  return {
    add,
    get: (id: string): KeptFile => {
      const found = all.get(id)
      if (found === undefined) throw new Refusal("file_not_found")
      return found.record
    },
    contentOf: (id: string): Uint8Array | undefined => all.get(id)?.content,
    linkOf: ({ id, name }: KeptFile) => `${root()}/files-pri/${team}-${id}/download/${encodeURIComponent(name)}`,
    /** First step. */
    prepare: (name: string, length: number) => {
      if (length > limits.files.bytes) throw beyond("file_upload_size_restricted", `${length} bytes`)
      const id = nextId()
      uploads.set(id, { id, name, length, content: undefined })
      return { file_id: id, upload_url: `${root()}/upload/v1/${id}` }
    },
    /** Second step; false if the upload is unknown, or the length is another one. */
    receive: (id: string, content: Uint8Array): boolean => {
      const upload = uploads.get(id)
      if (upload === undefined || upload.length !== content.length) return false
      upload.content = content
      return true
    },
    /** Third step; only now it is a file. */
    complete: (id: string, title: string | undefined, user: string): KeptFile => {
      const upload = uploads.get(id)
      if (upload?.content === undefined) throw new Refusal("file_not_found")
      uploads.delete(id)
      const { name, content } = upload
      return add({ name, content, user }, { id, title: title ?? name })
    }
  }
}

export type Files = ReturnType<typeof makeFiles>
